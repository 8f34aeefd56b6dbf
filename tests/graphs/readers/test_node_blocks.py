"""Nodes in blocks of facts are those that are read one by one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from table_files import write_all

from graphbrick.graphs.readers import ReadOptions, read_parts, source_files
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.records.blocks import FactBlock
from graphbrick.graphs.records.records import BadRecords, EntityRecord

EDGES = "source,type,target\na,r,q\n"
TEXTS = st.text('ab é\u00a0\u3000|;:[\\N"1', max_size=5)
ROWS = st.lists(st.tuples(st.sampled_from(["", " ", "a", "b ", "é", "a|b"]), *[TEXTS] * 7), max_size=8)


def facts_of(folder: Path, *, fast: bool, delimiter: str | None = "tab") -> tuple[list[Any], list[Any], dict[str, int]]:
    """Return the facts about nodes by kind, the bad records, and what is left out."""
    options = ReadOptions(delimiter=delimiter, quote=False)
    reading = FileReading(options, BadRecords(skip=True), fast=fast)
    parts = list(read_parts(source_files(folder, None, options), reading))
    blocks = [part for part in parts if isinstance(part, FactBlock)]
    assert fast or not blocks
    blocks += [FactBlock.of([part]) for part in parts if isinstance(part, EntityRecord)]
    facts = [(int(kind), record) for block in blocks for kind, record in zip(block.kind, block.records(), strict=True)]
    faults = [(error.line, error.code) for error in reading.bad.errors]
    by_column = sorted(facts, key=lambda fact: (fact[0], next(iter(fact[1].properties), "")))
    return by_column, faults, reading.left_out.counts


@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_blocks_are_the_records(rows: list[tuple[str, ...]]) -> None:
    header = "id\tname\ttitle\talias\ttype\tdesc\tp\tq\n"
    text = header + "".join("\t".join(row) + "\n" for row in rows)
    with tempfile.TemporaryDirectory() as name:
        folder = write_all(Path(name), {"nodes.tsv": text, "edges.csv": EDGES})
        (fast, *fast_rest), (slow, *slow_rest) = facts_of(folder, fast=True), facts_of(folder, fast=False)
    assert fast_rest == slow_rest
    assert fast == slow


def test_a_table_with_types_is_read_one_by_one(tmp_path: Path) -> None:
    folder = write_all(tmp_path, {"nodes.csv": "id,n:int\na,1\n", "edges.csv": EDGES})
    reading = FileReading(ReadOptions(), BadRecords(), fast=True)
    parts = list(read_parts(source_files(folder, None, reading.options), reading))
    assert parts[0] == EntityRecord("a", properties={"n": 1})


def test_id_spaces_and_types_of_file_names_in_blocks(tmp_path: Path) -> None:
    files = {
        "person.csv": "personId:ID(Person),name,label,born\n1,Ada,x,1970\n2,,y,\n",
        "film.csv": ":ID(Film),title\n1,Heat\n",
        "acted_in.csv": ":START_ID(Person),:END_ID(Film)\n1,1\n",
    }
    folder = write_all(tmp_path, files)
    fast, slow = (facts_of(folder, fast=fast, delimiter=None) for fast in (True, False))
    assert fast == slow
    assert (3, EntityRecord("Film/1", types=("film",))) in fast[0]
    assert (5, EntityRecord("Person/1", properties={"personId": "1"})) in fast[0]
    reading = FileReading(ReadOptions(), BadRecords(), fast=True)
    parts = read_parts(source_files(folder, None, reading.options), reading)
    assert [type(part).__name__ for part in parts] == ["FactBlock", "FactBlock", "tuple"]
