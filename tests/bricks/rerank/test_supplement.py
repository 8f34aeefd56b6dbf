from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import BM25, Evidence, Query, ShortestPaths, Subgraph
from graphbrick.bricks.rerank.supplement import Supplement
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.graphs.build.builder import build
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.testing import check_brick, tiny_graph

ASKED: list[tuple[str, list[str]]] = []
QUERY = Query("Which currency is used in Kenya?", seeds=(2,))
EVIDENCE = ShortestPaths(max_hops=3).retrieve(QUERY, Subgraph(tiny_graph()))
TEXTS = [path.text for path in EVIDENCE.items]


@dataclass(frozen=True, repr=False)
class Chooses(Scorer):
    """Scores as told, by the place of a path in EVIDENCE; keeps what it was asked in ASKED.

    Args:
        name: For ASKED.
        scores: Of the first paths; others score 0.
    """

    name: str = "chooses"
    scores: tuple[float, ...] = field(default=())

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        ASKED.append((self.name, list(texts)))
        told = dict(zip(TEXTS, self.scores, strict=False))
        return np.array([told.get(text, 0.0) for text in texts])


@dataclass(frozen=True, repr=False)
class Hashed(Scorer):
    """Whole numbers that look random.

    Args:
        salt: Another one gives other scores.
        levels: From -2 to levels - 3.
    """

    salt: str = ""
    levels: int = 5

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.array([float(self.one(text)) for text in texts])

    def one(self, text: str) -> int:
        return blake2b(f"{self.salt}{text}".encode(), digest_size=1).digest()[0] % self.levels - 2


def run(brick: Supplement, evidence: Evidence = EVIDENCE) -> tuple[list[tuple[int, float]], StageTrace]:
    """(place, score) of what is kept, and the trace."""
    with record(Trace(), repr(brick), "rerank") as entry:
        items = brick.rerank(QUERY, evidence).items
    return [(EVIDENCE.items.index(path), path.score) for path in items], entry


def test_what_was_chosen_comes_first_then_the_best_of_the_others() -> None:
    ASKED.clear()
    first = Chooses("first", (0.0, 0.2, 0.0, 0.9, -1.0))
    other = Chooses("other", (5.0, 99.0, 7.0, 99.0, 6.0))
    found, entry = run(Supplement(first, other, n=4))
    assert found == [(3, 0.9), (1, 0.2), (2, 7.0), (4, 6.0)]
    assert entry.facts == {"chosen": 2, "filled_up": 2}
    assert [("first", TEXTS), ("other", [text for i, text in enumerate(TEXTS) if i not in (1, 3)])] == ASKED


def test_the_other_is_not_asked_where_enough_were_chosen() -> None:
    ASKED.clear()
    found, entry = run(Supplement(Chooses("first", (1.0, 3.0, 3.0, 2.0)), Chooses("other"), n=3))
    assert found == [(1, 3.0), (2, 3.0), (3, 2.0)]
    assert entry.facts == {"chosen": 3, "filled_up": 0}
    assert [name for name, _ in ASKED] == ["first"]
    ASKED.clear()
    found, _ = run(Supplement(Chooses("first", (1.0,) * 12), Chooses("other"), n=50))
    assert len(found) == 12
    assert [name for name, _ in ASKED] == ["first"]


def test_nothing_chosen_is_all_filled_up_in_order() -> None:
    found, entry = run(Supplement(Chooses("first", (-1.0, 0.0)), Chooses("other"), n=5))
    assert found == [(i, 0.0) for i in range(5)]
    assert entry.facts == {"chosen": 0, "filled_up": 5}


def test_no_evidence_asks_nobody() -> None:
    ASKED.clear()
    found, entry = run(Supplement(Chooses(), Chooses()), Evidence())
    assert (found, entry.facts, ASKED) == ([], {"chosen": 0, "filled_up": 0}, [])


@given(
    n=st.integers(1, 15),
    size=st.integers(0, 12),
    first=st.builds(Hashed, st.sampled_from("abcd"), st.sampled_from([1, 3, 5, 200])),
    other=st.builds(Hashed, st.sampled_from("efgh"), st.sampled_from([1, 5, 200])),
)
def test_equals_the_reference(n: int, size: int, first: Hashed, other: Hashed) -> None:
    places = range(size)
    chosen = sorted((i for i in places if first.one(TEXTS[i]) > 0), key=lambda i: -first.one(TEXTS[i]))[:n]
    rest = sorted((i for i in places if i not in chosen), key=lambda i: -other.one(TEXTS[i]))[: n - len(chosen)]
    expected = [(i, first.one(TEXTS[i])) for i in chosen] + [(i, other.one(TEXTS[i])) for i in rest]
    found, entry = run(Supplement(first, other, n=n), Evidence(EVIDENCE.items[:size]))
    assert found == expected
    assert entry.facts == {"chosen": len(chosen), "filled_up": len(rest)}


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_is_an_error(wrong: float) -> None:
    for first, other in [((wrong,), ()), ((), (wrong,))]:
        with pytest.raises(ModelError, match=r"gave -?(nan|inf) for the text"):
            run(Supplement(Chooses("first", first), Chooses("other", other)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((BM25(), "MiniLM"), "other must be a scorer, got 'MiniLM'"),
        (("LLM", BM25()), "scorer must be a scorer, got 'LLM'"),
        ((BM25(), BM25(), 0), "n must be a whole number of at least 1, got 0"),
    ],
)
def test_bad_parameters(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        Supplement(*arguments)
    assert str(caught.value).startswith(f"Supplement {message}")


def test_the_contract() -> None:
    check_brick(Supplement(BM25(), BM25(b=0.5), n=2), installed=False)
    check_brick(Supplement(Hashed(), BM25(), n=9), installed=False)


def test_of_many_equal_paths_the_first_come_first(tmp_path: Path) -> None:
    graph = build([("s", "r", f"e{i}") for i in range(1200)], tmp_path / "star.graph")
    items = ShortestPaths(max_hops=1).retrieve(Query("?", seeds=(0,)), Subgraph(graph)).items
    first, other = Hashed("a", levels=4), Hashed("b", levels=3)
    chosen = sorted((p for p in items if first.one(p.text) > 0), key=lambda p: -first.one(p.text))
    rest = sorted((p for p in items if first.one(p.text) <= 0), key=lambda p: -other.one(p.text))
    found = Supplement(first, other, n=900).rerank(QUERY, Evidence(items)).items
    assert 0 < len(chosen) < 900
    assert list(found) == [*chosen, *rest][:900]
