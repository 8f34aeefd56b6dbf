"""Patterns scored by aligned words, without training; vectors of words are made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick import PathAnswer, Patterns, WordAlignment, build
from graphbrick.core import PathPattern, Report, Step
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.alignment.word_alignment import NOT_A_PATH

SAME = (
    ("spouse", "wife", "married"),
    ("child", "son", "kid"),
    ("capital",),
    ("borders", "neighbours"),
    ("city", "town"),
)


@dataclass(frozen=True, repr=False)
class Groups(Embedder):
    """Words of a group are the same; all others are at right angles."""

    @property
    def identity(self) -> str:
        return "groups"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            group = next((number for number, words in enumerate(SAME) if text in words), None)
            vectors[row, 8 + sum(map(ord, text)) % 56 if group is None else group] = 1
        return vectors


SCORER = WordAlignment(Groups())


def pattern(*steps: str, types: tuple[str, ...] = ()) -> PathPattern:
    """«<child» is the step against the relation «child»."""
    walked = tuple(Step(step.lstrip("<"), not step.startswith("<")) for step in steps)
    return PathPattern("Ada", walked, str, lambda: types)


def best(question: str, *patterns: PathPattern) -> PathPattern:
    return patterns[int(np.argmax(SCORER.rate_items(question, patterns)))]


def test_words_nearer_to_the_seed_speak_of_earlier_hops() -> None:
    one, other = pattern("spouse", "child"), pattern("child", "spouse")
    assert best("Who is the son of the wife of Ada?", other, one) is one
    assert best("Who is the wife of the son of Ada?", one, other) is other
    assert best("Who is Ada's wife's son?", other, one) is one


def test_no_hop_is_missing_and_none_too_many() -> None:
    short, right, long = pattern("spouse"), pattern("spouse", "child"), pattern("spouse", "child", "child")
    assert best("Who is the kid of Ada's wife?", short, right, long) is right
    assert best("Who is Ada's wife?", long, right, short) is short


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Who is Ada's mother?", ("<has_child",)),
        ("Who is Ada's daughter?", ("has_child",)),
        ("Whose mother is Ada?", ("has_child",)),
        ("Who is the apprentice of Ada?", ("<apprentice_of",)),
        ("Who is Ada's builder?", ("built_by",)),
        ("Who built Ada?", ("built_by",)),
        ("What did Ada build?", ("<built_by",)),
        ("Which violins were built by Ada?", ("<built_by",)),
        ("Where does Ada live?", ("lives in",)),
        ("Who lives in Ada?", ("<lives in",)),
        ("Who is Ada's resident?", ("<lives in",)),
        ("Who is the granddaughter of Ada?", ("has_child", "has_child")),
        ("Who is Ada's grandfather?", ("<has_child", "<has_child")),
        ("Who lives in the home of Ada's mother?", ("<has_child", "lives in", "<lives in")),
    ],
)
def test_labels_point_one_way(question: str, right: tuple[str, ...]) -> None:
    turned = [step.lstrip("<") if step.startswith("<") else f"<{step}" for step in right]
    good = pattern(*right)
    assert best(question, pattern(*turned), good) is good


@pytest.mark.parametrize(
    "question",
    [
        "Who shares an employer with Ada?",
        "Who has the same employer as Ada?",
        "Which people have an employer in common with Ada?",
        "Who works together with Ada?",
        "With whom does Ada share an employer?",
    ],
)
def test_what_is_in_common_is_a_step_there_and_back(question: str) -> None:
    there, and_back = pattern("works for"), pattern("works for", "<works for")
    other = pattern("works for", "supplier")
    assert best(question, there, other, and_back) is and_back


def test_a_border_is_shared_by_one_step() -> None:
    one, two = pattern("shares border with"), pattern("shares border with", "<shares border with")
    assert best("Which countries share a border with Ada?", two, one) is one


def test_a_name_with_dots_says_what_its_heads_are() -> None:
    label = "film.actor.film..film.performance.film"
    to_film, to_actor = pattern(label), pattern(f"<{label}")
    assert best("Which actor is in Ada?", to_film, to_actor) is to_actor
    assert best("Name the film of Ada.", to_actor, to_film) is to_film


def test_a_word_may_speak_of_the_type_of_what_a_step_leads_to() -> None:
    city, person = pattern("related", types=("city",)), pattern("related", types=("person",))
    assert best("Which town belongs to Ada?", person, city) is city


def test_equal_patterns_score_the_same_and_other_items_come_last() -> None:
    items = [pattern("spouse"), Report(None, (), "words"), pattern("spouse"), pattern()]  # type: ignore[arg-type]
    scores = SCORER.rate_items("Who is Ada's wife?", items)
    assert scores[0] == scores[2] > scores[1] == scores[3] == NOT_A_PATH


def test_text_is_read_by_its_arrows() -> None:
    texts = ["Ada -> child -> Bo", "Ada -> spouse -> Cy", "no path"]
    scores = SCORER.score("Who is the wife of Ada?", texts)
    assert scores.argmax() == 1
    assert scores[2] == NOT_A_PATH
    assert scores[1] == pytest.approx(SCORER.rate_items("Who is the wife of Ada?", [pattern("spouse")])[0])


def test_a_question_over_a_graph_with_types(tmp_path: Path) -> None:
    records = [
        EntityRecord("Oslo", types=("city",)),
        EntityRecord("Norway", types=("country",)),
        EntityRecord("Sweden", types=("country",)),
        EntityRecord("Stockholm", types=("city",)),
        ("Norway", "capital", "Oslo"),
        ("Sweden", "capital", "Stockholm"),
        ("Norway", "borders", "Sweden"),
    ]
    graph = build(records, tmp_path / "north.graph")
    pipeline = Patterns(SCORER) >> PathAnswer()
    assert pipeline(graph, "What is the capital of the neighbours of Norway?").texts == ("Stockholm",)
    assert pipeline(graph, "What is the capital of Norway?").texts == ("Oslo",)
    assert pipeline(graph, "Which town is in a country that borders Sweden?").texts == ("Oslo",)
