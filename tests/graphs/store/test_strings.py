from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.graphs.store.strings import StringTable
from graphbrick.graphs.store.writing.string_writer import write_strings

ANY_TEXT = st.text(st.characters(), max_size=20)  # lone surrogates too


def stored(folder: Path, values: list[str]) -> StringTable:
    write_strings(folder, "t", iter(values))
    return StringTable.open(folder, "t")


@pytest.mark.parametrize(
    "values",
    [
        [],
        [""],
        ["", "", ""],
        ["", "a", "", "b", ""],
        ["Zoë", "内罗毕", "👩‍👩‍👧", "e\u0301", "\x00", "line\nbreak", "\ufeff"],
        ["\ud800", "a\udfffb", "\udce9", "\U0010ffff"],
        ["x" * 100_000, "y"],
    ],
)
def test_round_trip(tmp_path: Path, values: list[str]) -> None:
    table = stored(tmp_path, values)
    assert len(table) == len(values)
    assert [table[i] for i in range(len(values))] == values


@pytest.mark.whole
@given(values=st.lists(ANY_TEXT, max_size=8))
def test_round_trip_of_anything(tmp_path_factory: pytest.TempPathFactory, values: list[str]) -> None:
    table = stored(tmp_path_factory.mktemp("strings"), values)
    assert [table[i] for i in range(len(table))] == values


@pytest.mark.parametrize("values", [[], [""], ["a", "b"]])
def test_an_index_out_of_range(tmp_path: Path, values: list[str]) -> None:
    table = stored(tmp_path, values)
    for index in (-1, len(values), 10**9):
        with pytest.raises(IndexError, match=f"string {index} of a table of {len(values)}"):
            table[index]


def test_the_names_of_the_files(tmp_path: Path) -> None:
    stored(tmp_path, ["a"])
    assert sorted(file.name for file in tmp_path.iterdir()) == [StringTable.file("t")]
