"""Mail: messages, and folders of messages in one file."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from graphbrick import index, parse
from graphbrick.core.errors import InputError
from graphbrick.text.documents.document import Document
from graphbrick.text.sources import SourceOptions, documents_in


def message(subject: str, text: str, date: str = "Tue, 04 May 2021 10:12:01 +0200") -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Rosa Lund <rosa@example.org>", "Peter Hale <peter@example.org>"
    mail["Date"], mail["Subject"] = date, subject
    mail.set_content(text)
    return mail


def read(folder: Path, name: str, data: bytes) -> list[Document]:
    (folder / name).write_bytes(data)
    return list(documents_in(folder / name, SourceOptions()))


def test_a_message_has_its_headers_and_text(tmp_path: Path) -> None:
    mail = message("Kräne", "The crane is tested on Fridays.\n")
    mail.add_attachment(b"\0\1", maintype="application", subtype="pdf", filename="a.pdf")
    (document,) = read(tmp_path, "a.eml", mail.as_bytes())
    assert document.title == "Kräne"
    assert document.text == (
        "From: Rosa Lund <rosa@example.org>\nTo: Peter Hale <peter@example.org>\n"
        "Date: Tue, 04 May 2021 10:12:01 +0200\nSubject: Kräne\n\nThe crane is tested on Fridays.\n"
    )
    assert document.note == "1 attachment not read"


def test_of_two_forms_the_plain_one_is_read(tmp_path: Path) -> None:
    mail = message("Cranes", "It is new.\n")
    mail.add_alternative("<p>It is <b>new</b>.</p>", subtype="html")
    (document,) = read(tmp_path, "a.eml", mail.as_bytes())
    assert document.text.endswith("\n\nIt is new.\n")
    page = EmailMessage()
    page["Subject"] = "Cranes"
    page.set_content("<style>p {}</style><p>It is <b>old</b>.</p>", subtype="html")
    (document,) = read(tmp_path, "b.eml", page.as_bytes())
    assert document.text == "Subject: Cranes\n\nIt is old.\n"


@pytest.mark.parametrize("charset", ["no-such-charset", "us-ascii"])
def test_an_encoding_that_is_wrong_is_detected(tmp_path: Path, charset: str) -> None:
    head = f"Subject: =?{charset}?q?Cranes?=\nContent-Type: text/plain; charset={charset}\n\n".encode()
    (document,) = read(tmp_path, "a.eml", head + "Die Kräne.\n".encode())
    assert document.text.endswith("\n\nDie Kräne.\n")


def test_each_message_of_a_folder_is_a_document(tmp_path: Path) -> None:
    mails = [message(f"Crane {i}", f"Crane {i} lifts {i} tons.\n\nFrom the port to the ship.\n") for i in (1, 2, 3)]
    data = b"".join(
        b"From rosa@example.org Tue May  4 10:12:01 2021\n"
        + mail.as_bytes().replace(b"\nFrom the", b"\n>From the")
        + b"\n"
        for mail in mails
    )
    documents = read(tmp_path, "all.mbox", data)
    assert [document.title for document in documents] == ["Crane 1", "Crane 2", "Crane 3"]
    assert [document.address for document in documents] == [f"{tmp_path / 'all.mbox'}#{i}" for i in (1, 2, 3)]
    assert documents[1].text.endswith("Crane 2 lifts 2 tons.\n\nFrom the port to the ship.\n")
    graph = index([tmp_path / "all.mbox"], tmp_path / "a.graph").graph
    answer = parse("Passages(n=9) >> Quote(BM25(), n=1)")(graph, "How many tons does crane 2 lift?")
    assert "Subject: Crane 2 · Crane 2 lifts 2 tons." in answer.texts[0]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.mbox", b"Dear Rosa,\nFrom here it is far.\n"),
        ("a.eml", b"\n \n"),
        ("a.eml", b"Subject: \0"),
        ("a.eml", b"".join(b"Content-Type: multipart/mixed; boundary=a%d\n\n--a%d\n" % (i, i) for i in range(3_000))),
    ],
)
def test_what_is_no_mail_says_so(tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(InputError) as refusal:
        read(tmp_path, name, data)
    assert str(tmp_path / name) in str(refusal.value)
