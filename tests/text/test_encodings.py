"""Documents in other encodings than UTF-8."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from graphbrick import index
from graphbrick.text.sources import SourceOptions, documents_in
from graphbrick.text.sources.encodings import decoded
from graphbrick.text.sources.hypertext import html_document

TEXTS = {
    "gbk": "杭州市图书馆位于钱江新城。馆长是李明。",
    "gb18030": "读者可以借十本书。借期为三十天。",
    "big5": "杭州市圖書館位於錢江新城。館長是李明。",
    "shift_jis": "館長は山田花子です。休館日は月曜日です。",
    "euc_jp": "館長は山田花子です。休館日は月曜日です。",
    "euc_kr": "관장은 김지수입니다. 월요일은 휴관일입니다.",
    "cp1251": "Директор библиотеки Анна Петрова живёт в Калуге.",
    "koi8_r": "Директор библиотеки Анна Петрова живёт в Калуге.",
    "cp1256": "مديرة المكتبة هي ليلى حداد. تغلق يوم الجمعة.",
    "cp1253": "Η διευθύντρια της βιβλιοθήκης είναι η Μαρία.",
    "cp1250": "Ředitelka knihovny je Jana Nováková. Zavřeno v pondělí, příští středa.",
    "tis_620": "ผู้อำนวยการห้องสมุดคือคุณสมชาย ปิดวันจันทร์",
}
WESTERN = [
    "Die Gebühr beträgt 40 Euro. Müller wohnt in Köln. Für Schüler ist der Eintritt frei, für Ältere ermäßigt.",
    "Le café coûte deux euros à Orléans, près de l'église où Zoé a été élue.",
    "El niño comió una manzana en España. Mañana vendrá el señor Núñez.",
    "Smørrebrød på dansk, æbler og øl. Søren bor på Østerbro.",
    "It’s a “smart” café — naïve, and “so” on.",
    "Müller",
    "über",
]


@pytest.mark.parametrize(("encoding", "text"), TEXTS.items(), ids=TEXTS)
@pytest.mark.parametrize("times", [1, 4, 60])
def test_an_encoding_is_detected(encoding: str, text: str, times: int) -> None:
    whole = f"{text}\r\n" * times
    read, note = decoded(whole.encode(encoding))
    assert read == whole.replace("\r\n", "\n")
    assert note.startswith("not UTF-8; read as ")
    assert note.endswith(", which was detected")


@pytest.mark.parametrize("text", WESTERN)
@pytest.mark.parametrize("times", [1, 6])
def test_western_texts_stay_as_they_are(text: str, times: int) -> None:
    read, note = decoded((text * times).encode("cp1252"))
    assert read == text * times
    assert "cp1252" in note


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_utf_8_needs_no_note(text: str) -> None:
    assert decoded(text.encode()) == (text, "")
    assert decoded(codecs.BOM_UTF8 + text.encode()) == (text, "")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_byte_order_mark_decides(encoding: str) -> None:
    text = "Müller wohnt in 杭州.\nZeile zwei"
    assert decoded(text.encode(encoding)) == (text, f"read as {encoding}")
    big = codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    assert decoded(big) == (text, "read as utf-16")


def test_pages_say_their_encoding_or_have_it_detected() -> None:
    text = TEXTS["gbk"] * 3
    stated = html_document("a", "A", f"<html><meta charset='gbk'><body><p>{text}</p></body></html>".encode("gbk"))
    assert (stated.text, stated.note) == (text, "not UTF-8; read as gbk")
    silent = html_document("a", "A", f"<html><body><p>{text}</p></body></html>".encode("gbk"))
    assert silent.text == text
    wrong = html_document("a", "A", f"<html><meta charset='ascii'><body><p>{text}</p></body></html>".encode("gbk"))
    assert wrong.text == text
    assert "not the ascii that it states" in wrong.note


def test_bytes_that_are_no_text_of_any_kind_are_told() -> None:
    text, note = decoded(bytes((0x81, 0x20, 0x8D)))
    assert len(text) == 3
    assert "too short" in note


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_files_with_a_byte_order_mark_are_read(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "note.txt"
    file.write_bytes("The safe code of Rosa Lund is 4711.\n".encode(encoding))
    (document,) = documents_in(file, SourceOptions())
    assert document.text.strip() == "The safe code of Rosa Lund is 4711."


def test_indexing_tells_the_encodings_once(tmp_path: Path) -> None:
    for number in range(3):
        text = f"Директор библиотеки {number} Анна Петрова живёт в Калуге. "
        (tmp_path / f"{number}.txt").write_bytes((text * 3).encode("cp1251"))
    report = index([tmp_path], tmp_path.with_name("library.graph"))
    (note,) = (note for note in report.notes if "cp1251" in note)
    assert note.endswith("not UTF-8; read as cp1251, which was detected (and 2 more documents)")


@pytest.mark.parametrize("encoding", [*TEXTS, "cp1252", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables(tmp_path: Path, encoding: str, delimiter: str) -> None:
    text = TEXTS.get(encoding, WESTERN[0]).replace(",", " ")
    rows = delimiter.join(("id", "text")) + "\r\n" + "".join(f"{i}{delimiter}{text}\r\n" for i in range(4))
    file = tmp_path / "a.csv"
    file.write_bytes(rows.encode(encoding))
    first, *others = documents_in(file, SourceOptions())
    assert [one.text for one in (first, *others)] == [text] * 4
    assert first.note.startswith("" if encoding == "utf-8-sig" else "read as" if encoding == "utf-16" else "not UTF-8")
    assert {one.note for one in others} == {""}


@pytest.mark.whole
def test_a_long_table_whose_last_row_tells_its_encoding(tmp_path: Path) -> None:
    rows = ["id,text", *(f"{i},Nothing of note is written here" for i in range(60_000))]
    for encoding in ("cp1251", "utf-8"):
        text = "\n".join([*rows, f"last,{TEXTS['cp1251']}"])
        (tmp_path / "a.csv").write_bytes(text.encode(encoding))
        *_, last = documents_in(tmp_path / "a.csv", SourceOptions())
        assert last.text == TEXTS["cp1251"]


def test_letters_between_two_blocks_of_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.text.sources.encodings._BLOCK", 5)
    (tmp_path / "a.tsv").write_text(f"id\ttext\n1\t{TEXTS['gbk']}\n", encoding="utf-8")
    (document,) = documents_in(tmp_path / "a.tsv", SourceOptions())
    assert (document.text, document.note) == (TEXTS["gbk"], "")
