"""Questions written from patterns."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from graphbrick import build
from graphbrick.graphs.changes.delta import change
from graphbrick.judge.synthetic.written import written_about
from graphbrick.learn.writing.sampling import around, further_fact, samples
from graphbrick.learn.writing.writer import Writer
from graphbrick.learn.writing.written_questions import written_questions
from graphbrick.patterns.english.labels import read_label
from graphbrick.patterns.text import without_marks
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.patterns.words_file import EntityClass

LABELS = (
    *("directed_by", "starred_actors", "release_year", "works in", "capital"),
    *("located in", "spouse", "CbG", "near", "part of"),
)


def book() -> Phrasebook:
    films = ["directed_by", "starred_actors", "release_year"]
    people = ["directed_by", "starred_actors", "spouse"]
    classes = [
        EntityClass(["film", "movie"], films, []),
        EntityClass(["person"], ["works in", "spouse"], people, person=True),
    ]
    return Phrasebook({label: read_label(label) for label in LABELS}, classes)


@pytest.mark.parametrize("pattern", [*product(LABELS, (True, False))])
def test_every_step_can_be_asked_for(pattern: tuple[str, bool]) -> None:
    writer, rng = Writer(book()), random.Random(0)
    for _ in range(60):
        written = writer.write((pattern,), rng)
        assert written.words.count("X") == 1
        assert len(written.words) == len(written.hops)
        assert not any(mark in word for word in written.words for mark in "{}[]@")
        assert 0 in written.hops or pattern[0] == "near"


def test_words_of_each_hop_are_tagged_in_order() -> None:
    pattern = (("starred_actors", False), ("directed_by", True), ("spouse", True))
    writer, rng = Writer(book()), random.Random(1)
    for _ in range(200):
        written = writer.write(pattern, rng)
        assert {hop for hop in written.hops if hop is not None and hop >= 0} == {0, 1, 2}
        seed = written.words.index("X")
        assert written.hops[seed] is None
        # On each side, words nearer to the seed speak of earlier hops.
        right = [hop for hop in written.hops[seed + 1 :] if hop is not None]
        left = [hop for hop in written.hops[:seed][::-1] if hop is not None]
        assert right == sorted(right)
        assert left == sorted(left)


def test_possessives_and_of_are_mixed() -> None:
    pattern = (("directed_by", True), ("spouse", True), ("works in", True))
    writer, rng = Writer(Phrasebook({label: read_label(label) for label in LABELS}, [])), random.Random(3)
    phrases = {writer.write(pattern[:2], rng).text("X").removesuffix(" ?") for _ in range(600)}
    assert {"spouse of X's director", "X's director's spouse", "spouse of director of X"} & phrases
    assert any("spouse of X's director" in phrase for phrase in phrases)


@pytest.mark.parametrize(
    ("label", "phrase"),
    [
        ("works in", "who works together with X"),
        ("works in", "works in the same"),
        ("directed_by", "the same director as X"),
    ],
)
def test_a_step_there_and_back_is_what_is_in_common(label: str, phrase: str) -> None:
    writer, rng = Writer(book()), random.Random(4)
    written = [writer.write(((label, True), (label, False)), rng).text("X") for _ in range(900)]
    assert any(phrase in text for text in written)


def test_known_phrases_come_up() -> None:
    writer, rng = Writer(book()), random.Random(2)
    texts = {writer.write((("directed_by", True),), rng).text("Heat").removesuffix(" ?") for _ in range(600)}
    assert {"who directed Heat", "who is the director of Heat", "who is Heat's director"} <= texts
    back = {writer.write((("directed_by", False),), rng).text().removesuffix(" ?") for _ in range(900)}
    assert any("directed by X" in text for text in back)
    there_and_back = (("starred_actors", True), ("starred_actors", False))
    assert any("share" in writer.write(there_and_back, rng).words for _ in range(100))


def test_a_step_is_called_by_the_class_that_it_alone_leads_to() -> None:
    labels = ("plays in", "founded", "signed to", "lives in", "born in")
    classes = [
        EntityClass(["person"], ["plays in", "lives in", "born in"], [], person=True),
        EntityClass(["band"], ["signed to"], ["plays in"]),
        EntityClass(["label"], [], ["signed to"]),
        EntityClass(["town"], [], ["lives in", "born in"]),
    ]
    phrasebook = Phrasebook({label: read_label(label) for label in labels}, classes)
    assert phrasebook.only_names("plays in", forward=True) == ["band"]
    assert phrasebook.only_names("plays in", forward=False) == ["person"]
    assert phrasebook.only_names("lives in", forward=True) == []  # «X's town» may be where X was born
    writer, rng = Writer(phrasebook), random.Random(3)
    texts = {writer.write((("plays in", True), ("signed to", True)), rng).text() for _ in range(400)}
    assert any("X's band's label" in text for text in texts)
    assert any("label of the band of X" in text for text in texts)


def test_the_same_seed_writes_the_same() -> None:
    pattern = (("works in", True), ("located in", True))
    one, two = ([Writer(book()).write(pattern, random.Random(seed)) for seed in range(20)] for _ in range(2))
    assert one == two


def test_walks_that_come_back_are_written_about(tmp_path: Path) -> None:
    couple = [("Ann", "child", "Kim"), ("Kim", "parent", "Ann")]
    graph = build(couple, tmp_path / "family.graph")
    (ann,) = (node for node in range(graph.n_entities) if graph.label(node) == "Ann")
    _, longer = around(graph, ann, max_hops=2)
    patterns = {pattern: ends.tolist() for pattern, ends in longer}
    assert patterns == {
        (("child", True), ("parent\0X", True)): [ann],
        (("parent", False), ("child\0X", False)): [ann],
    }
    written = Writer(Phrasebook.of(graph)).write((("child", True), ("parent\0X", True)), random.Random(0))
    assert "parent" in written.text() or "mother" in written.text() or "father" in written.text()
    assert written.words.count("X") == 1


def test_in_a_graph_of_many_relations_short_patterns_are_drawn_and_each_is_met(tmp_path: Path) -> None:
    graph = build([(f"e{i}", f"relation {i}", f"e{i + 1}") for i in range(200)], tmp_path / "chain.graph")
    drawn = list(samples(graph, 1_200, max_hops=3, n_seeds=20, seed=0))
    lengths = Counter(len(sample.pattern) for sample in drawn)
    assert lengths[1] > lengths[2] > lengths[3] > 0
    assert len({label for sample in drawn for label, _ in without_marks(sample.pattern)}) > 180


def test_a_fact_about_the_answer_speaks_of_no_hop(tmp_path: Path) -> None:
    triples = [("Heat", "directed by", "Mann"), ("Heat", "filmed in", "Oslo"), ("Mann", "born in", "Bergen")]
    graph = build(triples, tmp_path / "films.graph")
    (heat,) = (node for node in range(graph.n_entities) if graph.label(node) == "Heat")
    drawn = list(samples(graph, 100, max_hops=1, n_seeds=20, seed=0))
    sample = next(one for one in drawn if one.seed == heat and one.pattern == (("directed by", True),))
    fact = further_fact(graph, sample, random.Random(0))
    assert fact == (("born in", True), "Bergen")
    written = Writer(Phrasebook.of(graph)).write(sample.pattern, random.Random(0), fact)
    hops = dict(zip(written.words, written.hops, strict=True))
    assert hops["Bergen"] == -1
    assert "Bergen" in written.text()
    assert "X" in written.words


def test_patterns_around_a_hub_of_many_relations_are_bounded(tmp_path: Path) -> None:
    graph = build([("hub", f"relation {i}", f"end {i % 300}") for i in range(1_500)], tmp_path / "hub.graph")
    (hub,) = (node for node in range(graph.n_entities) if graph.label(node) == "hub")
    short, longer = around(graph, hub, max_hops=2)
    assert 250 < len(short) <= 250 + 128
    assert 0 < len(longer) <= 250 + 128
    known = {pattern for pattern, _ in short}
    assert all(pattern[:1] in known for pattern, _ in longer)
    again = around(graph, hub, max_hops=2)
    assert [pattern for pattern, _ in again[1]] == [pattern for pattern, _ in longer]


def test_where_asks_for_what_may_be_a_place() -> None:
    labels = ("profession", "employer", "reports to", "works in", "located in", "directed_by")
    writer, rng = Writer(Phrasebook({label: read_label(label) for label in labels}, [])), random.Random(3)
    asked = {
        label: {writer.write(((label, label != "directed_by"),), rng).words[0] for _ in range(500)} for label in labels
    }
    assert {label for label in labels if "where" in asked[label]} == {"employer", "works in", "located in"}


def test_a_graph_without_triples_gives_no_questions(tmp_path: Path) -> None:
    graph = build([("a", "borders", "b")], tmp_path / "g.graph")
    empty = change(graph.path, delete=[("a", "borders", "b")]).graph
    assert written_questions(empty, 5) == ()
    assert written_about(empty, 5) == ([], [])
