"""Errors about a record: where it is, and how much of it is quoted."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick.core.errors import InputError


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        (None, None, "bad"),
        (Path("a.csv"), None, "a.csv: bad"),
        ("a.csv", 3, "a.csv, line 3: bad"),
        (None, 3, "record 3: bad"),
    ],
)
def test_an_input_error_says_where(file: Path | str | None, line: int | None, message: str) -> None:
    error = InputError("bad", file, line)
    assert (str(error), error.reason, error.file, error.line) == (message, "bad", file, line)


def test_a_long_reason_keeps_its_beginning_and_end() -> None:
    assert InputError("x" * 400).reason == "x" * 400
    reason = "".join(chr(0x4E00 + i) for i in range(401))
    assert InputError(reason).reason == f"{reason[:200]} ... {reason[-200:]}"


def test_a_bad_record_is_quoted_to_200_characters() -> None:
    assert InputError("bad", text="y" * 500).text == "y" * 200
