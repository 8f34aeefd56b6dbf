"""Faults in delimited files, and where they are said to be."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from delimited_files import KENYA, fault, read, skipped, write
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions, streams
from graphbrick.graphs.records.records import BadRecords


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("|r|b", "the head is empty"),
        ("a| |b", "the relation is empty"),
        ("a|r|", "the tail is empty"),
        ("a|r\0|b", "a NUL byte at byte 4 of the line"),
        (b"a|r|\xc3\xa9\xff", "not UTF-8: byte 0xff at byte 7 of the line"),
    ],
)
@pytest.mark.parametrize("delimiter", ["|", ","])
def test_bad_cells(tmp_path: Path, line: str | bytes, reason: str, delimiter: str) -> None:
    data = line.encode() if isinstance(line, str) else line
    content = (b"a|r|b\n\n" + data + b"\nc|r|d\n").replace(b"|", delimiter.encode())
    file = write(tmp_path, "kb.txt", content)
    assert skipped(file) == ([("a", "r", "b"), ("c", "r", "d")], [(3, reason)])
    error = fault(file)
    assert (error.line, error.reason) == (3, reason)
    assert error.text == data.replace(b"|", delimiter.encode()).decode(errors="replace")


def test_faults_come_in_the_order_of_the_lines(tmp_path: Path) -> None:
    assert fault(write(tmp_path, "kb.tsv", b"a\tb\tc\nd\ne\xff\n")).line == 2


def test_line_too_long_is_never_held(tmp_path: Path) -> None:
    long = b"x" * (3 * streams.BLOCK_BYTES)
    file = write(tmp_path, "kb.tsv.gz", b"a\tr\tb\n" + long + b"\tr\tb\nc\tr\td\n" + b"y" * 2000)
    records, faults = skipped(file, max_line_bytes=1000)
    assert records == [("a", "r", "b"), ("c", "r", "d")]
    assert faults == [(2, "the line is longer than 1,000 bytes"), (4, "the line is longer than 1,000 bytes")]


def test_line_too_long_up_to_the_end(tmp_path: Path) -> None:
    file = write(tmp_path, "kb.tsv", b"a\tr\tb\n" + b"x" * (2 * streams.BLOCK_BYTES))
    assert skipped(file, max_line_bytes=10) == ([("a", "r", "b")], [(2, "the line is longer than 10 bytes")])


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
    expected = [(i, line) for i, line in enumerate(data.split(b"\n"), 1) if len(line) <= limit]
    if not data:
        return
    if data.endswith(b"\n"):
        expected.pop()
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
    total = len(data.removesuffix(b"\n").split(b"\n"))
    assert sorted([line for line, _ in got] + [e.line or 0 for e in bad.errors]) == list(range(1, total + 1))


def test_all_records_bad_is_left_to_the_builder(tmp_path: Path) -> None:
    assert skipped(write(tmp_path, "kb.tsv", "a\nb\n"))[0] == []
    assert skipped(write(tmp_path, "kb.tsv", b"\xff\n"))[0] == []


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("kb.txt", b"", "the file is empty"),
        ("kb.tsv", b"\n \n", "the file holds no rows"),
        ("kb.txt", b"\xef\xbb\xbf", "the file holds no rows"),
        ("kb.txt", "a|b|c".encode("utf-16"), "the file is UTF-16; convert it to UTF-8"),
        ("kb.json", b"{}", "a source with the suffix '.json' is not supported; supported are .txt .tsv"),
        ("kb", b"a|b|c", "a source with no suffix is not supported"),
    ],
)
def test_faults_of_the_file_as_a_whole(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    file = write(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read(file, BadRecords(skip=True))
    assert caught.value.reason.startswith(reason)
    assert (caught.value.line, caught.value.file) == (None, file)


def test_faults_of_gzip(tmp_path: Path) -> None:
    import random

    random.seed(0)
    packed = gzip.compress("".join(f"{random.random()}|r|b\n" for _ in range(50_000)).encode())
    cases = {
        "cut.txt.gz": (packed[:-1000], "the gzip data end too early; the file is truncated, fetch it again"),
        "damaged.txt.gz": (packed[:-8] + b"12345678", "the gzip data are damaged (CRC"),
        "flipped.txt.gz": (packed[:100] + b"\xff" * 50 + packed[150:], "the gzip data are damaged ("),
        "plain.txt.gz": (b"a|b|c\n", "the file is not gzip in spite of its name; rename it without .gz"),
        "empty.txt.gz": (gzip.compress(b""), "the file is empty"),
    }
    for name, (data, reason) in cases.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(InputError) as caught:
            read(tmp_path / name, BadRecords(skip=True))
        assert caught.value.reason.startswith(reason), name


def test_gzip_without_its_suffix_is_read(tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_bytes(gzip.compress(b"Kenya|capital|Nairobi\n") + gzip.compress(b"a|b|c\n"))
    assert read(tmp_path / "kb.txt") == [KENYA[0], ("a", "b", "c")]


def test_missing_file(tmp_path: Path) -> None:
    assert fault(tmp_path / "nowhere.txt").reason == "there is no such file"
    nodes = tmp_path / "nodes.csv"
    with pytest.raises(InputError, match=r"nodes\.csv: there is no such file"):
        read(write(tmp_path, "kb.txt", "a|b|c"), nodes=nodes)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"delimiter": ""}, "delimiter must be"),
        ({"delimiter": "\n"}, "delimiter must be"),
        ({"delimiter": '"'}, "delimiter must be"),
        ({"columns": ("a", "b", "b")}, "columns must name three different columns"),
        ({"columns": ("a", "b")}, "columns must name three different columns"),
        ({"columns": ("a", "b", "c"), "header": False}, "without a header columns are numbers"),
        ({"language": " "}, "language must be"),
        ({"max_line_bytes": 0}, "max_line_bytes must be 1 or more, got 0"),
    ],
)
def test_options_are_checked(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        ReadOptions(**options)
