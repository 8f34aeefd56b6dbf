"""What takes part in a search by default: plug-ins, unless they are faulty, and reports where there are some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails

from graphbrick import BM25, PruneStage, Query, Scorer, Subgraph
from graphbrick.core.parameters import parameter
from graphbrick.pipeline import catalog
from graphbrick.pipeline.brick import Brick
from graphbrick.study.tune.space.default_space import default_space
from graphbrick.study.tune.space.space import Space
from graphbrick.testing import check_brick, tiny_graph


class Pruning(PruneStage):
    """A stage that returns what it gets."""

    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        """Return the subgraph."""
        return subgraph


@dataclass(frozen=True, repr=False)
class Plain(Pruning):
    """A stage whose scorer is not declared.

    Args:
        scorer: Any scorer.
        other: Another one, or None.
    """

    scorer: Scorer
    other: Scorer | None = None


@dataclass(frozen=True, repr=False)
class Wanting(Pruning):
    """A stage that needs what nobody can give."""

    weights: list[int]


@dataclass(frozen=True, repr=False)
class Untyped(Pruning):
    """A stage with a type that cannot be resolved."""

    n: Nowhere = parameter(3)  # type: ignore[name-defined]  # noqa: F821


@dataclass(frozen=True, repr=False)
class Raising(Pruning):
    """A stage that cannot be made."""

    def __post_init__(self) -> None:
        raise KeyError("no such thing")


@dataclass(frozen=True, repr=False)
class Same(Scorer):
    """A scorer that likes everything."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return ones."""
        return np.ones(len(texts))


@dataclass(frozen=True, repr=False)
class Around(Same):
    """A scorer that needs another one."""

    scorer: Scorer


@pytest.fixture
def space(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Space]:
    def of(*bricks: type[Brick]) -> Space:
        plugged = {brick.__name__: brick for brick in bricks}
        own = dict(catalog.built_in())
        monkeypatch.setattr(catalog, "_plugged_in", lambda: plugged)
        monkeypatch.setattr(catalog, "all_bricks", lambda: own | plugged)
        found = default_space(tiny_graph())
        found.check()
        return found

    return of


def test_a_plain_annotation_with_a_kind_of_brick_is_a_parameter(space: Callable[..., Space]) -> None:
    assert "Plain($scorer)" in space(Plain).stages["prune"]
    check_brick(Plain(BM25()), installed=False)
    for wrong in (3, None, BM25, "BM25()"):
        with fails("parameter.not_allowed", name="scorer"):
            Plain(wrong)  # type: ignore[arg-type]
    with fails("parameter.not_allowed", name="other"):
        Plain(BM25(), 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("faulty", [Wanting, Untyped, Raising])
def test_a_faulty_plug_in_is_left_out_and_told(space: Callable[..., Space], faulty: type[Brick]) -> None:
    found = space(faulty, Plain)
    assert not [option for option in found.stages["prune"] if faulty.__name__ in option]
    assert "Plain($scorer)" in found.stages["prune"]
    assert [text for text in found.advice if f"the plug-in {faulty.__name__} is left out" in text]


def test_plug_in_scorers_take_part_unless_they_need_a_parameter(space: Callable[..., Space]) -> None:
    assert [text for text in space(Same, Around).models["scorer"] if text in ("Same()", "Around()")] == ["Same()"]


def test_what_reads_reports_takes_part_where_there_are_some(space: Callable[..., Space]) -> None:
    found = space()
    assert not [option for options in found.stages.values() for option in options if "Report" in option]
    assert [text for text in found.advice if "prepare reports" in text and "brings in" in text]
