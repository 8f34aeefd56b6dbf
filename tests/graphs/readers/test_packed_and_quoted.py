"""Packed files, quoted cells of any delimiter, and lone carriage returns."""

from __future__ import annotations

import bz2
import lzma
from pathlib import Path

import pytest
from faults import fails
from table_files import Reading, one_file

from graphbrick.core.errors import InputError

TRIPLES = "a|r|b\nc|r|d\n"
READ = [("a", "r", "b"), ("c", "r", "d")]


@pytest.mark.parametrize("name", ["kb.txt.bz2", "kb.TXT.XZ", "kb.txt"])
def test_bzip2_and_xz(tmp_path: Path, name: str) -> None:
    pack = lzma.compress if name.endswith("XZ") else bz2.compress
    data = pack(b"a|r|b\n") + pack(b"c|r|d\n")
    assert Reading(one_file(tmp_path, name, data)).records == READ


@pytest.mark.whole
@pytest.mark.parametrize(("suffix", "packing"), [("bz2", "bzip2"), ("xz", "xz")])
def test_faults_of_packed_files(tmp_path: Path, suffix: str, packing: str) -> None:
    import random

    random.seed(0)
    text = "".join(f"{random.random()}|r|b\n" for _ in range(50_000)).encode()
    data = bz2.compress(text) if suffix == "bz2" else lzma.compress(text)
    for content, code in (
        (data[:-1000], "reader.truncated"),
        (data[:5000] + b"\xff" * 50 + data[5050:], "reader.damaged"),
        (b"a|b|c\n", "reader.not_packed"),
    ):
        with fails(code, InputError, packing=packing):
            Reading(one_file(tmp_path, f"kb.txt.{suffix}", content), skip=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cr.csv", "head,relation,tail\ra,r,b\r"),
        ("cr.tsv", "head\trelation\ttail\ra\tr\tb"),
        ("cr.txt", "head|relation|tail\r\ra|r|b\r"),
        ("cr.psv", "a|r|b\r"),
        ("cr.csv", 'head,relation,tail\r"a",r,"b"\r'),
    ],
)
def test_lone_carriage_returns(tmp_path: Path, name: str, text: str) -> None:
    assert Reading(one_file(tmp_path, name, text)).records == [("a", "r", "b")]


def test_nodes_with_lone_carriage_returns_and_their_line_numbers(tmp_path: Path) -> None:
    text = "head\trelation\ttail\r" + "a\tr\tb\r" * 5000 + "broken\r" + "a\tr\tb\r" * 5000
    read = Reading(one_file(tmp_path, "cr.tsv", text), skip=True)
    assert len(read.records) == 10_000
    assert [error.line for error in read.bad.errors] == [5002]


def test_carriage_returns_inside_lines_stay(tmp_path: Path) -> None:
    assert Reading(one_file(tmp_path, "kb.tsv", "a\tr\tb\rc\n")).records == [("a", "r", "b\rc")]


@pytest.mark.parametrize(
    ("name", "text", "triples"),
    [
        ("q.tsv", '"head"\t"relation"\t"tail"\n"a b"\t"r"\t"c ""d"""\n', [("a b", "r", 'c "d"')]),
        ("q.tsv", 'head\trelation\ttail\na\tr\t"5"" disk"\n', [("a", "r", '5" disk')]),
        ("q.tsv", 'head\trelation\ttail\n"x\ty"\tr\t"two\nlines"\n', [("x\ty", "r", "two\nlines")]),
        ("q.psv", '"a|b"|r|c\n', [("a|b", "r", "c")]),
        ("q.txt", '"a"\t"r"\t"b"\n', [("a", "r", "b")]),
        ("q.tsv", '"a\tsays\t"b" c\n', [('"a', "says", '"b" c')]),
        ("q.tsv", 'a\tr\t"b" or "c"\n', [("a", "r", '"b" or "c"')]),
        ("q.tsv", 'a\tr\t5"\n', [("a", "r", '5"')]),
    ],
)
def test_quoted_cells_are_recognised(tmp_path: Path, name: str, text: str, triples: list[tuple[str, ...]]) -> None:
    assert Reading(one_file(tmp_path, name, text)).records == triples


def test_quoting_by_option(tmp_path: Path) -> None:
    file = one_file(tmp_path, "q.tsv", '"a"\tr\t"b"\n')
    assert Reading(file).records == [("a", "r", "b")]
    assert Reading(file, quote=False).records == [('"a"', "r", '"b"')]
    commas = one_file(tmp_path, "q.csv", '"a",r,"b"\n')
    assert Reading(commas, quote=False).records == [('"a"', "r", '"b"')]
    late = one_file(tmp_path, "late.tsv", "a\tr\tb\n" * 20_000 + '"a\tb"\tr\tc\n')
    assert Reading(late, quote=True).records[-1] == ("a\tb", "r", "c")


def test_a_quote_that_is_none_asks_for_no_quote(tmp_path: Path) -> None:
    file = one_file(tmp_path, "q.tsv", '"a"\tr\tb\n' + "a\tr\tb\n" * 20_000 + '"open\tr\tc\n')
    with fails("reader.not_csv", InputError, line=20_002) as caught:
        Reading(file)
    assert "--no-quote" in str(caught.value)
