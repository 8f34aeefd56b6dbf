"""Documents from mail: a message (.eml), or a folder of messages in one file (.mbox)."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from email.header import decode_header
from email.message import Message
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.language.counting import counted
from graphbrick.text.documents.document import Document
from graphbrick.text.sources.encodings import decoded
from graphbrick.text.sources.hypertext import html_document

MAIL = (".eml", ".mbox")
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_FROM = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\d{4}[^\n]*\n")  # the line above each message
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_MOST_PARTS = 1_000


def mail_documents(file: Path, suffix: str, data: bytes) -> Iterator[Document]:
    """Yield a document for each message: sender, receivers, date and subject, and its text.

    Of texts in two forms, the plain one is read. A note counts the attachments, which are not read.

    Args:
        file: The file.
        suffix: ".eml" or ".mbox".
        data: Its content, unpacked.

    Raises:
        InputError: It has no message, or one whose parts are nested too deeply.
    """
    places = [match.span() for match in _FROM.finditer(data)] if suffix == ".mbox" else [(0, 0)]
    if not places:
        raise InputError(
            "it has no message: no line begins with «From » and ends with a year", file, code="mail.no_message"
        )
    for i, (_, start) in enumerate(places):
        end = places[i + 1][0] if i + 1 < len(places) else len(data)
        raw = _ESCAPED.sub(rb"\1", data[start:end]) if suffix == ".mbox" else data
        try:
            message = email.message_from_bytes(raw)
            document = _document(f"{file}#{i + 1}" if suffix == ".mbox" else str(file), message)
        except RecursionError as error:
            raise InputError("its parts are nested too deeply", file, code="mail.too_deep") from error
        if document.text.strip():
            yield document
        elif suffix != ".mbox":
            raise InputError("it has no text", file, code="mail.no_text")


def _document(address: str, message: Message) -> Document:
    plain: list[str] = []
    pages: list[str] = []
    attached = 0
    for i, part in enumerate(message.walk()):
        kind = part.get_content_type()
        if part.is_multipart():
            continue
        if i >= _MOST_PARTS or part.get_filename() or kind not in ("text/plain", "text/html"):
            attached += 1
            continue
        content = part.get_payload(decode=True)
        text = _text(content if isinstance(content, bytes) else b"", part)
        if kind == "text/html":
            pages.append(html_document(address, "", text.encode()).text)
        else:
            plain.append(text)
    headers = {name: _header(message, name) for name in _HEADERS}
    body = "\n\n".join(part.strip() for part in plain if part.strip()) or "\n\n".join(pages)
    lines = [f"{name}: {value}" for name, value in headers.items() if value]
    note = f"{counted(attached, 'attachment')} not read" if attached else ""
    text = "\n\n".join(filter(None, ("\n".join(lines), body.strip())))
    return Document(address, headers["Subject"], f"{text}\n", note=note)


def _text(content: bytes, part: Message) -> str:
    """Return the text of a part in the encoding that it states, or else in the one that is detected."""
    stated = part.get_content_charset()
    if stated:
        try:
            return content.decode(stated).replace("\r\n", "\n")
        except (LookupError, UnicodeDecodeError):  # no such encoding, or not that one
            return decoded(content)[0]
    return decoded(content)[0]


def _header(message: Message, name: str) -> str:
    """Return a header on one line, with its encoded words as text."""
    value = str(message.get(name, ""))
    words = []
    for part, encoding in decode_header(value):
        if isinstance(part, str):
            words.append(part)
            continue
        try:
            words.append(part.decode(encoding or "utf-8"))
        except (LookupError, UnicodeDecodeError):
            words.append(decoded(part)[0])
    return " ".join("".join(words).split())
