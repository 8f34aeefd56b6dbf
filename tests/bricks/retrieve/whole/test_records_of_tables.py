"""Questions about the columns of tables of records whose texts are documents."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from graphbrick import Graph, index
from graphbrick.bricks.retrieve.whole.records import records_of
from graphbrick.core.answer import Answer
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import records_place
from graphbrick.learn.default import default_pipeline
from graphbrick.pipeline.parsing import parse
from graphbrick.text.sources.tables import SourceOptions, table_documents

TICKETS = """id,subject,status,priority,assignee,created,amount,description
T-101,Wrong charge,open,high,Rosa Lund,2024-03-01,12.50,The customer wants a refund for a double charge on the invoice.
T-102,App crash,closed,low,Tom Berg,2024-03-04,0,The app crashes when the map is opened on an old phone.
T-103,Late parcel,open,medium,Rosa Lund,2024-03-09,30,The parcel came late and the customer asks for refunds.
T-104,Password,pending,high,Ida Falk,2024-04-02,0,A user cannot reset the password because no mail arrives.
T-105,Invoice address,closed,medium,Rosa Lund,2024-04-11,0,The address on the invoice is an old one.
T-106,Broken kettle,open,high,Tom Berg,2024-04-20,45,The kettle arrived broken. Refunding was promised by phone.
"""
PIPELINE = "Records(Operators(Patterns(BM25())), Passages()) >> Quote(BM25(), n=3, min_confidence=0.5)"


def indexed(folder: Path, name: str, text: str) -> TextGraph:
    (folder / name).write_text(text, encoding="utf-8")
    return index([folder / name], folder / "made.graph").graph


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    return indexed(tmp_path_factory.mktemp("tickets"), "tickets.csv", TICKETS)


def ask(graph: TextGraph, question: str) -> Answer:
    return parse(PIPELINE)(graph, question)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How many tickets are there?", ("6",)),
        ("How many tickets are open?", ("3",)),
        ("How many records are there?", ("6",)),
        ("Which tickets of Rosa Lund are open?", ("Wrong charge", "Late parcel")),
        ("tickets with priority high", ("Wrong charge", "Password", "Broken kettle")),
        ("What is the status of T-104?", ("pending",)),
        ("Which tickets were created after 15 March 2024?", ("Password", "Invoice address", "Broken kettle")),
        ("What is the highest amount?", ("45",)),
        ("How many tickets are about refunds?", ("3",)),
        ("Which tickets about refunds are open?", ("Wrong charge", "Late parcel", "Broken kettle")),
        ("Which closed tickets mention the invoice?", ("Invoice address",)),
        ("How many tickets of Rosa Lund mention invoices?", ("2",)),
        ("How many tickets are about unicorns?", ("0",)),
        ("Are there any tickets about refunds?", ("Wrong charge", "Late parcel", "Broken kettle")),
        ("Tickets mentioning 'refund'", ("Wrong charge", "Late parcel", "Broken kettle")),
    ],
)
def test_columns_and_words_of_tickets(tickets: TextGraph, question: str, texts: tuple[str, ...]) -> None:
    answer = ask(tickets, question)
    assert answer.texts == texts
    assert answer.entities == (None,) * len(texts)  # they are entities of the records, not of the graph of the texts


def test_answers_cite_the_rows_of_the_table(tickets: TextGraph) -> None:
    for question in ("What is the status of T-104?", "Which pending tickets are about a password?"):
        answer = ask(tickets, question)
        places = {c.document.rpartition("#")[2] for i in answer.support[0] for c in answer.evidence.items[i].citations}
        assert "T-104" in places


def test_other_questions_go_to_the_documents(tickets: TextGraph) -> None:
    plain = parse("Passages() >> Quote(BM25(), n=3, min_confidence=0.5)")
    for question in ("Why can the user not reset the password?", "What happened to the kettle?", "Where is the moon?"):
        assert ask(tickets, question).texts == plain(tickets, question).texts


def test_a_card_of_columns_is_given_for_a_key_only(tickets: TextGraph) -> None:
    assert ask(tickets, "Tell me about T-103").texts[0].startswith("Late parcel (tickets)")
    assert not ask(tickets, "Tell me about the broken kettle").texts[0].startswith("Broken kettle (tickets)")


def test_the_default_pipeline_reads_records_where_there_are_any(tickets: TextGraph, tmp_path: Path) -> None:
    assert repr(default_pipeline(tickets)).startswith("Records(")
    plain = indexed(tmp_path, "notes.jsonl", '{"title": "Lakes", "text": "Lake Victoria is in Kenya."}\n')
    assert records_of(plain) is None
    assert repr(default_pipeline(plain)).startswith("Overview(")


def test_columns_are_typed_as_build_types_them(tickets: TextGraph) -> None:
    records = Graph.open(records_place(tickets.place))
    kinds = {column.name: str(column.kind) for column in records.property_columns()}
    assert kinds == {"status": "text", "priority": "text", "assignee": "text", "created": "date", "amount": "number"}


def test_a_changed_column_changes_the_answer_and_extracts_nothing(tmp_path: Path) -> None:
    indexed(tmp_path, "tickets.csv", TICKETS)
    (tmp_path / "tickets.csv").write_text(TICKETS.replace("T-104,Password,pending", "T-104,Password,closed"))
    done = index([tmp_path / "tickets.csv"], tmp_path / "made.graph")
    assert (done.reading.changed, done.reading.same, done.extracted) == (1, 5, 0)
    assert "status, priority, assignee, created, amount" in done.notes[-1]
    assert ask(done.graph, "What is the status of T-104?").texts == ("closed",)


def test_deleted_rows_and_tables_leave_the_records(tmp_path: Path) -> None:
    graph = indexed(tmp_path, "tickets.csv", TICKETS)
    (tmp_path / "tickets.csv").write_text("\n".join(TICKETS.split("\n")[:3]) + "\n")
    graph = index([tmp_path / "tickets.csv"], tmp_path / "made.graph").graph
    assert ask(graph, "How many tickets are there?").texts == ("2",)
    (tmp_path / "tickets.csv").unlink()
    (tmp_path / "a.txt").write_text("The ferry to Voss leaves at noon.")
    graph = index([tmp_path / "tickets.csv", tmp_path / "a.txt"], tmp_path / "made.graph").graph
    assert not records_place(graph.place).exists()


def test_json_lines_and_excel_give_the_same_records(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    names, *lines = [line.split(",", 7) for line in TICKETS.strip().split("\n")]
    rows = [dict(zip(names, line, strict=True)) | {"amount": float(line[6])} for line in lines]
    (tmp_path / "tickets.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    book = openpyxl.Workbook()
    book.active.append(names)
    for row in rows:
        book.active.append(list(row.values()))
    book.save(tmp_path / "tickets.xlsx")
    for name in ("tickets.jsonl", "tickets.xlsx"):
        graph = index([tmp_path / name], tmp_path / f"{name}.graph").graph
        assert ask(graph, "How many tickets of Rosa Lund are open?").texts == ("2",), name
        assert ask(graph, "What is the highest amount?").texts == ("45",), name


def test_a_table_without_a_column_of_text_is_read_row_by_row(tmp_path: Path) -> None:
    (tmp_path / "cars.csv").write_text("Name,Origin,Cylinders\nSaab 99e,Europe,4\nDodge Dart,USA,6\n")
    done = index([tmp_path / "cars.csv"], tmp_path / "cars.graph")
    graph = done.graph
    assert graph.passage(0).text == "Name: Saab 99e\nOrigin: Europe\nCylinders: 4"
    assert done.notes[0].endswith("--text names one (and 1 more documents)")
    assert ask(graph, "What is the origin of the Saab 99e?").texts == ("Europe",)
    assert ask(graph, "How many cars are from Europe?").texts == ("1",)


def test_long_texts_and_objects_are_no_values(tmp_path: Path) -> None:
    row = {"id": "a", "text": "Lakes of Kenya.", "tags": ["lake", "map"], "more": {"x": 1}, "long": "word " * 100}
    (tmp_path / "notes.jsonl").write_text(json.dumps(row) + "\n")
    record = next(iter(table_documents(tmp_path / "notes.jsonl", ".jsonl", SourceOptions()))).record
    assert record is not None
    assert record.values == {"tags": ["lake", "map"]}


def test_folders_of_earlier_versions_open_and_get_records(tmp_path: Path) -> None:
    indexed(tmp_path, "tickets.csv", TICKETS)
    with sqlite3.connect(tmp_path / "made.graph.text" / "documents.sqlite") as database:
        database.execute("DROP TABLE records")
        database.execute("UPDATE files SET mark = 'of before'")
    done = index([tmp_path / "tickets.csv"], tmp_path / "made.graph")
    assert (done.reading.changed, done.reading.same, done.is_new) == (0, 6, False)
    assert ask(done.graph, "How many tickets are open?").texts == ("3",)
