"""Errors about a record, and the codes of errors and events."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphbrick
from graphbrick.core.errors import InputError, LinkError, shown
from graphbrick.core.trace import Event

CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\.[a-z][a-z0-9]*(_[a-z0-9]+)*")
SOURCES = Path(graphbrick.__file__).parent


def codes_in(file: Path) -> Iterator[str]:
    """Yield the codes in a module: the argument ``code`` of any call, and the second argument of `event`."""
    text = file.read_text(encoding="utf-8")
    if "code=" not in text and "event(" not in text:  # most modules; reading the syntax of all takes seconds
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            arguments = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            if isinstance(node.func, ast.Name) and node.func.id == "event":
                arguments += node.args[1:2]
            yield from (a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str))


def test_every_code_is_used_at_one_place_and_says_where_and_what() -> None:
    codes = Counter(code for file in SOURCES.rglob("*.py") for code in codes_in(file))
    assert len(codes) > 200
    assert [code for code, count in codes.items() if count > 1] == []
    assert [code for code in codes if not CODE.fullmatch(code)] == []


def test_errors_and_events_keep_code_and_values_in_other_processes() -> None:
    error = InputError("the key is empty", "a.csv", 3, "x", code="reader.empty_key", column="key")
    again = pickle.loads(pickle.dumps(error))
    values = {"column": "key", "file": "a.csv", "line": 3}
    assert (str(again), again.code, again.values) == (str(error), "reader.empty_key", values)
    told = Event("3 of 5 were left out", "paths.cap", text="x", code_of="y")
    for other in (pickle.loads(pickle.dumps(told)), copy.deepcopy(told)):
        assert (other, other.code, other.values) == (told, "paths.cap", {"text": "x", "code_of": "y"})


def test_an_error_without_code_is_allowed() -> None:
    assert (LinkError("no entity").code, LinkError("no entity").values) == ("", {})


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


def test_values_are_shown_up_to_a_length() -> None:
    assert shown("x" * 198) == repr("x" * 198)
    assert shown("x" * 199) == f"'{'x' * 199}..."
    assert (shown(12345, 5), shown(123456, 5)) == ("12345", "12345...")
    assert shown(2**64 - 1) == "18446744073709551615"
    assert shown(2**64) == shown(-(2**64)) == "a number of more than 64 bits"
