from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.judge import kept_lines
from graphbrick.judge.kept_lines import KeptLines


def test_values_are_found_again(tmp_path: Path) -> None:
    file = tmp_path / "values.jsonl"
    first = KeptLines(file)
    first.keep({("a", "b"): [1], ("c",): "é"})
    first.keep({("c",): None})
    again = KeptLines(file)
    assert (again.find("a", "b"), again.find("c"), again.find("d")) == ([1], None, None)


@pytest.mark.parametrize("block", [4, 1 << 16])
def test_a_last_line_without_an_end_takes_nothing_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(kept_lines, "_BLOCK", block)
    file = tmp_path / "values.jsonl"
    KeptLines(file).keep({("a",): 1, ("b",): 2})
    whole = file.read_bytes()
    for left in range(len(whole)):
        file.write_bytes(whole[:left])
        opened = KeptLines(file)
        assert file.read_bytes() == whole[:left]  # reading changes nothing: another process may be writing
        known = {key: opened.find(key) for key in "ab" if opened.find(key) is not None}
        opened.keep({("c",): 3})
        again = KeptLines(file)
        assert {key: again.find(key) for key in known} == known
        assert again.find("c") == 3
        assert len(known) == (left >= len(whole) // 2 - 1) + (left >= len(whole) - 1)


def test_a_damaged_line_and_a_folder_that_is_not_there_are_errors(tmp_path: Path) -> None:
    file = tmp_path / "values.jsonl"
    file.write_text('{"key": ["a"], "value": 1}\nbroken\n')
    with fails("kept_lines.bad_line", InputError, file=file, line=2):
        KeptLines(file)
    with fails("kept_lines.no_place", InputError, file=tmp_path / "none" / "values.jsonl"):
        KeptLines(tmp_path / "none" / "values.jsonl")
    with fails("kept_lines.no_place", InputError, file=tmp_path):
        KeptLines(tmp_path)
