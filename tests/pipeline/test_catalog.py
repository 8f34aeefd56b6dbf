"""The catalogue of bricks: what it tells of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from graphbrick import BM25, PPR, Query, Subgraph, parse
from graphbrick.core.errors import RecipeSyntaxError
from graphbrick.pipeline import ExpandStage
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import describe, is_built_in, names, nearest, unknown


@dataclass(frozen=True, repr=False)
class Same(ExpandStage):
    """The same subgraph."""

    def expand(self, query: Query, subgraph: Subgraph) -> Subgraph:
        return subgraph


@pytest.mark.parametrize(
    ("brick", "kind", "kinds"),
    [
        (BM25, "model", ["Scorer"]),
        (PPR, "extract", ["RankedExtract", "ExtractStage", "Stage"]),
        (Same, "expand", ["ExpandStage", "Stage"]),
    ],
)
def test_a_brick_is_described_with_its_kinds(brick: type[Brick], kind: str, kinds: list[str]) -> None:
    told = describe(brick)
    assert (told["name"], told["kind"], told["kinds"]) == (brick.__name__, kind, kinds)
    assert told["summary"] == brick.summary()
    assert [parameter["name"] for parameter in told["parameters"]] == [one.name for one in brick.parameters()]


def test_a_brick_of_another_package_is_not_built_in() -> None:
    assert is_built_in(PPR())
    assert not is_built_in(Same())


@pytest.mark.parametrize(
    ("name", "hint"), [("Rerankk", "did you mean Rerank?"), ("bm25", "did you mean BM25?"), ("xyzzy", "lists them")]
)
def test_an_unknown_name_has_a_hint(name: str, hint: str) -> None:
    assert unknown(name, names()).endswith(hint)


def test_a_few_known_names_are_listed() -> None:
    assert unknown("xyzzy", ["one", "two"]) == "there is no brick 'xyzzy'; there are one, two"


def test_at_most_twenty_names_are_listed_and_a_long_one_is_cut() -> None:
    known = [f"Brick{number}" for number in range(21)]
    assert unknown("?", known[:20]) == f"there is no brick '?'; there are {', '.join(known[:20])}"
    assert unknown("?", known) == "there is no brick '?'; graphbrick bricks lists them"
    assert unknown("?" * 81, []) == f"there is no brick '{'?' * 80}'; there are "


def test_the_nearest_name_is_that_of_the_same_letters_or_a_close_one() -> None:
    assert nearest("ppr", ["BM25", "PPR"]) == "PPR"
    assert nearest("Rerak", ["Rank", "Rerank"]) == "Rerank"
    assert nearest("abcdxyz", ["abcd"]) == "abcd"
    assert nearest("abcdvwxyz", ["abc"]) == "abc"
    assert nearest("abcdvwxyzq", ["abc"]) == ""
    assert nearest("x", []) == ""


@pytest.mark.parametrize("text", [3, None, b"PPR()"])
def test_a_recipe_that_is_not_a_text_is_refused(text: object) -> None:
    with pytest.raises(RecipeSyntaxError) as refused:
        parse(text)  # type: ignore[arg-type]
    assert repr(text) in str(refused.value)
