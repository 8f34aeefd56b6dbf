"""What tables of documents have beside their texts is kept or counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick.core.errors import InputError
from graphbrick.text.documents.document import Document
from graphbrick.text.sources.tables import SourceOptions, table_documents

LONG = "word " * 100


def _documents(place: Path, text: str, name: str = "tickets.csv") -> list[Document]:
    file = place / name
    file.write_text(text, encoding="utf-8")
    return list(table_documents(file, file.suffix, SourceOptions()))


def test_a_row_without_text_keeps_its_columns_and_an_empty_row_is_counted(tmp_path: Path) -> None:
    table = "id,body,status\n1,I want a refund,open\n2,,closed\n3,,\n"
    documents = _documents(tmp_path, table)
    assert [document.text for document in documents] == ["I want a refund", "id: 2\nstatus: closed"]
    assert [document.record and dict(document.record.values) for document in documents] == [
        {"status": "open"},
        {"status": "closed"},
    ]
    assert "1 row without text left out; 1 row without text: the other columns are the text" in documents[-1].note


@pytest.mark.parametrize(
    ("table", "name", "left_out"),
    [
        (f"id,body,answer\n1,One,{LONG}\n2,Two,short\n3,Three,{LONG}\n", "a.csv", "answer (2)"),
        ('{"id": 1, "text": "One", "more": {"a": 1}}\n{"id": 2, "text": "Two"}\n', "a.jsonl", "more (1)"),
        ('{"id": 1, "text": "One", "tags": [{"a": 1}], "note": "x"}\n', "a.jsonl", "tags (1)"),
    ],
)
def test_values_that_cannot_be_asked_for_are_named(tmp_path: Path, table: str, name: str, left_out: str) -> None:
    *others, last = _documents(tmp_path, table, name)
    assert f"are left out of columns: {left_out}; --text reads them" in last.note
    assert not any(document.note for document in others)


def test_columns_of_one_name_and_without_one_are_all_kept(tmp_path: Path) -> None:
    (document,) = _documents(tmp_path, "id,body,status,status,\n1,One,open,red,x\n")
    assert document.record is not None
    assert dict(document.record.values) == {"status": "open", "status 2": "red", "column 5": "x"}


def test_rows_before_a_bad_one_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,body\n1,One\n2,Two\n3,Three,Four\n", encoding="utf-8")
    texts = list[str]()
    with pytest.raises(InputError) as error:
        texts += (document.text for document in table_documents(file, ".csv", SourceOptions()))
    assert error.value.code == "tables.bad_row_length"
    assert texts == ["One", "Two"]
