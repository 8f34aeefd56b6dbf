"""The text of bytes in any encoding."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import BinaryIO

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{1,40})", re.IGNORECASE)
_MARKS = {  # the longer ones first
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_WESTERN = "cp1252"
_CANDIDATES = [
    "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251", "koi8_r", "cp1256", _WESTERN, "cp1250", "cp1253",
    "cp1255", "tis_620",
]  # fmt: skip
_LATIN = frozenset((_WESTERN, "cp1250"))
_PAIRS = frozenset(("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"))  # of bytes
# What is written in cp1250. Spanish read as cp1250 looks like Hungarian, whose letters are nearly all in both.
_CENTRAL = frozenset(("Polish", "Czech", "Slovak", "Croatian", "Slovene"))
_BESIDE = 0.6  # share of the bytes that are not ASCII that stand beside another one, where two make a character
_LOOKED_AT = 200_000  # bytes
_BLOCK = 1 << 20  # bytes
_FREE = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_RUN = re.compile(rb"[\x80-\xff]+")
_FEW = 6  # bytes that are not ASCII, with which nothing can be told


def decoded(data: bytes) -> tuple[str, str]:
    r"""Return the text of bytes, with "\n" for every end of a line, and a note if they are not UTF-8.

    A byte order mark decides, then UTF-8 if all of it is, then what a page states, then charset-normalizer among the
    encodings that are common. Western letters are what is left, and the note says if nothing was detected.

    >>> decoded("Директор библиотеки Анна Петрова живёт в Калуге.".encode("cp1251"))[1]
    'not UTF-8; read as cp1251, which was detected'
    """
    text, note = _decoded(data)
    return text.replace("\r\n", "\n").replace("\r", "\n"), note


def has_mark(data: bytes) -> bool:
    """Return whether bytes begin with the mark of UTF-16 or UTF-32, in which zeros are no sign of a binary file."""
    return any(data.startswith(mark) for mark, name in _MARKS.items() if name != "utf-8-sig")


def _decoded(data: bytes) -> tuple[str, str]:
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    with suppress(UnicodeDecodeError):
        return data.decode(marked), "" if marked.startswith("utf-8") else f"read as {marked}"
    stated = _CHARSET.search(data[:4096])
    if stated is not None:
        encoding = stated.group(1).decode("ascii")
        try:
            return data.decode(encoding), f"not UTF-8; read as {encoding}"
        except (LookupError, UnicodeDecodeError):
            return _detected(data, f"not UTF-8, and not the {encoding} that it states")
    return _detected(data, "not UTF-8")


def encoding_of(stream: BinaryIO) -> tuple[str, str]:
    """Return the encoding of a file that is too large to decode at once, and a note if it is not UTF-8.

    The file is read whole, in blocks; an encoding is detected from lines that are not ASCII.
    """
    block = stream.read(_BLOCK)
    marked = next((name for mark, name in _MARKS.items() if block.startswith(mark)), "")
    if marked:
        return marked, "" if marked.startswith("utf-8") else f"read as {marked}"
    decoder, is_utf8, has_free = codecs.getincrementaldecoder("utf-8")(), True, False
    sample = bytearray()
    while block:
        if is_utf8:
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                is_utf8 = False
        has_free |= not set(block).isdisjoint(_FREE)
        if len(sample) < _LOOKED_AT:
            sample += b"\n".join(line for line in block.split(b"\n") if not line.isascii())
        block = stream.read(_BLOCK)
    if is_utf8 and not decoder.getstate()[0]:
        return "utf-8", ""
    encoding, note = _best(bytes(sample), "not UTF-8")
    return "latin-1" if encoding == _WESTERN and has_free else encoding, note


def _detected(data: bytes, reason: str) -> tuple[str, str]:
    """Return the text in the encoding that fits best."""
    encoding, note = _best(data, reason)
    if encoding == _WESTERN:
        # Latin-1 has all bytes, also the five that cp1252 leaves free.
        return data.decode(_WESTERN if set(data).isdisjoint(_FREE) else "latin-1"), note
    text = data.decode(encoding, errors="replace")
    bad = text.count("\ufffd")
    return text, f"{note}; {bad:,} bytes are none of it" if bad else note


def _best(data: bytes, reason: str) -> tuple[str, str]:
    """Return the encoding that fits best, and how it was chosen."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return _WESTERN, f"{reason}; taken for {_WESTERN} (pip install 'graphbrick[text]' to detect others)"
    if len(data) - len(data.translate(None, bytes(range(128, 256)))) < _FEW:
        return _WESTERN, f"{reason}, and too short to detect an encoding; taken for {_WESTERN}"
    best = from_bytes(data[:_LOOKED_AT], cp_isolation=_CANDIDATES).best()
    if best is None:
        return _WESTERN, f"{reason}, and no encoding was detected; taken for {_WESTERN}"
    is_western = best.encoding in _LATIN and best.language not in _CENTRAL
    is_western |= best.encoding in _PAIRS and _share_of_pairs(data[:_LOOKED_AT]) < _BESIDE
    encoding = _WESTERN if is_western else best.encoding
    return encoding, f"{reason}; read as {encoding}, which was detected"


def _share_of_pairs(data: bytes) -> float:
    """Return the share of the bytes that are not ASCII that stand beside another one."""
    runs = [len(run) for run in _RUN.findall(data)]
    return sum(length for length in runs if length > 1) / sum(runs)
