"""Tests of regular expressions that are compiled when they are needed."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphbrick
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.expressions.needed_words import needed_in

PACKAGES = ("bricks", "language", "patterns", "text")


def every() -> Iterator[Expression]:
    """Yield the expressions of all modules that read questions and documents."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages([f"{graphbrick.__path__[0]}/{package}"], f"graphbrick.{package}."):
            for value in vars(importlib.import_module(module.name)).values():
                yield from of_value(value)


def of_value(value: object) -> Iterator[Expression]:
    """Yield the expressions in a constant."""
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from of_value(one)
    elif isinstance(value, dict):
        yield from of_value(tuple(value.values()))


def questions() -> list[str]:
    """Return texts in the tests of operators, and as they are looked at: in lower case, without names."""
    tests = Path(__file__).parents[1] / "bricks/retrieve/operators"
    files = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted(tests.glob("test_*.py"))]
    nodes = (node.value for file in files for node in ast.walk(file) if isinstance(node, ast.Constant))
    texts = sorted({text for text in nodes if isinstance(text, str) and 20 < len(text) < 200})[::17]
    return texts + [re.sub(r"[A-Z]\w+", "e0", text).lower() for text in texts]


@pytest.mark.whole
def test_a_text_without_the_needed_words_has_no_match() -> None:
    texts, found, skipped = questions(), 0, 0
    for one in every():
        for text in texts:
            may = one.may_match(text)
            assert may or not one.compiled.search(text), (one, one.needed, text)
            found, skipped = found + bool(may), skipped + (not may)
    assert skipped > found


def test_every_expression_compiles() -> None:
    expressions = list(every())
    assert len(expressions) > 400
    assert all(one.compiled for one in expressions)


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        (r"born in (?:the )?(\d+)", ("born in ",)),
        (r"a(?:bc|de)?fg+", ("fg",)),
        (r"(?:x*|abc)d{0,2}e{2}", ("e",)),
        (r"(?<!not )known", ("known",)),
        (r"(?!never)(?=alw)", ("alw",)),
        (r"[\]abc](?P<word>say)(?P=word)", ("say",)),
        (r"end\.$", ("end.",)),
        (r"\w+ly|", ()),
        (r"some(?i:thin)g", ("some",)),
        (r"(?P<one>some)|g", ("g", "some")),
        (r"(?s)some", ()),
        (r"[^]]x[]]", ("x",)),
        (r"say \(no\)?", ("say (no",)),
    ],
)
def test_what_every_match_needs(pattern: str, needed: tuple[str, ...]) -> None:
    re.compile(pattern)
    assert tuple(sorted(needed_in(pattern))) == needed


def test_case_is_ignored_as_by_re() -> None:
    for pattern in (Expression("Kind", re.IGNORECASE), Expression("(?i)Kind")):
        assert pattern.needed == ("kind",)
        assert [bool(pattern.search(text)) for text in ("a KIND of", "\u212aind", "kin")] == [True, True, False]


PARTS = ["a", "bc", r"\d", r"\b", ".", "[ab]", "a?", "(?:b|cd)", "(c)*", "(?=a)", "(?!b)", "b{2}", "(?<=c)a", "|"]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join), st.text("abcd1 ", max_size=12))
def test_any_expression_finds_what_re_finds(pattern: str, text: str) -> None:
    one, other = Expression(pattern), re.compile(pattern)
    assert [match.span() for match in one.finditer(text)] == [match.span() for match in other.finditer(text)]
    assert (one.sub("<>", text), one.split(text)) == (other.sub("<>", text), other.split(text))
    assert bool(one.search(text)) == bool(other.search(text))
    assert (bool(one.match(text)), bool(one.fullmatch(text))) == (bool(other.match(text)), bool(other.fullmatch(text)))
    assert (one.findall(text), one.subn("", text)) == (other.findall(text), other.subn("", text))
