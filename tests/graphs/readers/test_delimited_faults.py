"""Faults in delimited files, and where they are said to be."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from delimited_files import KENYA, fault, read, skipped, write
from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions, streams
from graphbrick.graphs.records.records import BadRecords


@pytest.mark.parametrize(
    ("line", "code", "where"),
    [
        ("|r|b", "reader.empty_cell", "head"),
        ("a| |b", "reader.empty_cell", "relation"),
        ("a|r|", "reader.empty_cell", "tail"),
        ("a|r\0|b", "reader.not_text", "byte 4"),
        (b"a|r|\xc3\xa9\xff", "reader.not_text", "byte 7"),
    ],
)
@pytest.mark.parametrize("delimiter", ["|", ","])
def test_bad_cells(tmp_path: Path, line: str | bytes, code: str, where: str, delimiter: str) -> None:
    data = line.encode() if isinstance(line, str) else line
    content = (b"a|r|b\n\n" + data + b"\nc|r|d\n").replace(b"|", delimiter.encode())
    file = write(tmp_path, "kb.txt", content)
    assert skipped(file) == ([("a", "r", "b"), ("c", "r", "d")], [(3, code)])
    error = fault(file)
    assert (error.line, error.code) == (3, code)
    assert where in error.reason
    assert error.text == data.replace(b"|", delimiter.encode()).decode(errors="replace")


def test_faults_come_in_the_order_of_the_lines(tmp_path: Path) -> None:
    assert fault(write(tmp_path, "kb.tsv", b"a\tb\tc\nd\ne\xff\n")).line == 2


def test_line_too_long_is_never_held(tmp_path: Path) -> None:
    long = b"x" * (3 * streams.BLOCK_BYTES)
    file = write(tmp_path, "kb.tsv.gz", b"a\tr\tb\n" + long + b"\tr\tb\nc\tr\td\n" + b"y" * 2000)
    records, faults = skipped(file, max_line_bytes=1000)
    assert records == [("a", "r", "b"), ("c", "r", "d")]
    assert faults == [(2, "reader.line_too_long"), (4, "reader.line_too_long")]


def test_line_too_long_up_to_the_end(tmp_path: Path) -> None:
    file = write(tmp_path, "kb.tsv", b"a\tr\tb\n" + b"x" * (2 * streams.BLOCK_BYTES))
    assert skipped(file, max_line_bytes=10) == ([("a", "r", "b")], [(2, "reader.line_too_long")])


@pytest.mark.whole
def test_line_numbers_hold_over_blocks(tmp_path: Path) -> None:
    lines = [f"entity {i}\tr\tentity {i + 1}" for i in range(40_000)]
    lines[30_000] = "broken"
    records, faults = skipped(write(tmp_path, "kb.tsv", "\n".join(lines)))
    assert len(records) == 39_999
    assert [line for line, _ in faults] == [30_001]


@given(
    lines=st.lists(st.text(alphabet="ab\t\r |é", max_size=12), max_size=30),
    limit=st.integers(1, 14),
    block=st.integers(1, 40),
)
def test_blocks_hold_the_lines_that_are_short_enough(lines: list[str], limit: int, block: int) -> None:
    import tempfile

    data = "\n".join(lines).encode()
    if not data:
        return
    one_line = b"\n" not in data[:-1]
    returns = one_line and data.rstrip(b"\r\n").count(b"\r") > data.endswith(b"\n")
    split = (data.replace(b"\r", b"\n") if returns else data).removesuffix(b"\n").split(b"\n")
    expected = [(i, line) for i, line in enumerate(split, 1) if len(line) <= limit]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "BLOCK_BYTES", block)
        file = write(Path(folder), "lines.txt", data)
        bad = BadRecords(skip=True)
        got = [
            numbered
            for first, chunk in streams.blocks(file, limit, bad)
            for numbered in enumerate(streams.whole_lines(chunk), first)
        ]
    assert got == expected
    assert sorted([line for line, _ in got] + [e.line or 0 for e in bad.errors]) == list(range(1, len(split) + 1))


def test_all_records_bad_is_left_to_the_builder(tmp_path: Path) -> None:
    assert skipped(write(tmp_path, "kb.tsv", "a\nb\n"))[0] == []
    assert skipped(write(tmp_path, "kb.tsv", b"\xff\n"))[0] == []


@pytest.mark.parametrize(
    ("name", "content", "code", "values"),
    [
        ("kb.txt", b"", "reader.empty_file", {}),
        ("kb.tsv", b"\n \n", "reader.no_rows", {}),
        ("kb.txt", b"\xef\xbb\xbf", "reader.no_rows", {}),
        ("kb.txt", "a|b|c".encode("utf-16"), "reader.utf16", {}),
        ("kb.docx", b"{}", "reader.unsupported", {"ending": "docx"}),
        ("kb", b"a|b|c", "reader.unsupported", {"ending": ""}),
    ],
)
def test_faults_of_the_file_as_a_whole(
    tmp_path: Path, name: str, content: bytes, code: str, values: dict[str, object]
) -> None:
    file = write(tmp_path, name, content)
    with fails(code, InputError, **values) as caught:
        read(file, BadRecords(skip=True))
    assert (caught.value.line, caught.value.file) == (None, file)  # type: ignore[attr-defined]


@pytest.mark.whole
def test_faults_of_gzip(tmp_path: Path) -> None:
    import random

    random.seed(0)
    packed = gzip.compress("".join(f"{random.random()}|r|b\n" for _ in range(50_000)).encode())
    cases = {
        "cut.txt.gz": (packed[:-1000], "reader.truncated"),
        "damaged.txt.gz": (packed[:-8] + b"12345678", "reader.damaged"),
        "flipped.txt.gz": (packed[:100] + b"\xff" * 50 + packed[150:], "reader.damaged"),
        "plain.txt.gz": (b"a|b|c\n", "reader.not_packed"),
        "empty.txt.gz": (gzip.compress(b""), "reader.empty_file"),
    }
    for name, (data, code) in cases.items():
        (tmp_path / name).write_bytes(data)
        with fails(code, InputError):
            read(tmp_path / name, BadRecords(skip=True))


def test_gzip_without_its_suffix_is_read(tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_bytes(gzip.compress(b"Kenya|capital|Nairobi\n") + gzip.compress(b"a|b|c\n"))
    assert read(tmp_path / "kb.txt") == [KENYA[0], ("a", "b", "c")]


def test_missing_file(tmp_path: Path) -> None:
    assert fault(tmp_path / "nowhere.txt").code == "reader.no_file"
    nodes = tmp_path / "nodes.csv"
    with fails("reader.no_file", InputError) as caught:
        read(write(tmp_path, "kb.txt", "a|b|c"), nodes=nodes)
    assert caught.value.file == nodes  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"delimiter": ""}, "options.bad_delimiter"),
        ({"delimiter": "\n"}, "options.bad_delimiter"),
        ({"delimiter": '"'}, "options.bad_delimiter"),
        ({"columns": ("a", "b", "b")}, "options.bad_columns"),
        ({"columns": ("a", "b")}, "options.columns_without_relation"),
        ({"columns": ("a", "b", "c"), "header": False}, "options.columns_without_header"),
        ({"language": " "}, "options.bad_language"),
        ({"max_line_bytes": 0}, "options.bad_max_line_bytes"),
    ],
)
def test_options_are_checked(options: dict[str, Any], code: str) -> None:
    with fails(code, InputError):
        ReadOptions(**options)
