"""Two towers and the writer of relations: learned on a small world, held out, kept in files, used in pipelines."""

from __future__ import annotations

import json
from pathlib import Path as File

import numpy as np
import pytest
from faults import fails, told
from onnx_models import write_embedder

from graphbrick import (
    EmbeddingModel,
    Graph,
    Mention,
    PathAnswer,
    PathTowers,
    Patterns,
    Query,
    ShortestPaths,
    Subgraph,
    WrittenRelations,
    build,
)
from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.trace import Trace, record
from graphbrick.learn.train.patterns.relation_models import QuestionRow, RelationReport
from graphbrick.learn.train.patterns.relation_writer import train_writer
from graphbrick.learn.train.patterns.towers import _drawn, train_towers
from graphbrick.patterns.planned.path_towers import relations_text
from graphbrick.patterns.planned.relation_model import STOP, RelationModel, load_writer
from graphbrick.questions.question import Question

WORDS = ("capital", "currency", "borders", "money", "neighbour", "of", "seat", "x")
OPENINGS = ("what is", "name", "tell me", "say", "which is", "give", "find", "show", "list", "do you know", "ask", "hm")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    triples = []
    for i in range(12):
        country = f"land {i}"
        triples += [(country, "capital", f"city {i}"), (country, "currency", f"coin {i}")]
        triples += [(country, "borders", f"land {(i + 1) % 12}")]
    return build(triples, tmp_path_factory.mktemp("world") / "world.graph")


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    made = []
    for i in range(12):
        opening = OPENINGS[i]
        made.append(Question(f"s{i}", f"{opening} seat of land {i}", (f"land {i}",), (f"city {i}",)))
        made.append(Question(f"m{i}", f"{opening} money of land {i}", (f"land {i}",), (f"coin {i}",)))
        made.append(Question(f"c{i}", f"{opening} money where seat is city {i}", (f"city {i}",), (f"coin {i}",)))
    return made


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> EmbeddingModel:
    table = {word: tuple(float(i == j) for j in range(len(WORDS))) for i, word in enumerate(WORDS)}
    folder = tmp_path_factory.mktemp("embedder")
    # A prefix that the model knows, so that no vector is zero.
    return EmbeddingModel(str(write_embedder(folder, table).parent), query_prefix="x ", text_prefix="x ")


@pytest.fixture(scope="module")
def towers(world: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    out = tmp_path_factory.mktemp("towers") / "world.towers"
    return out, train_towers(world, questions, out, embedder=embedder, epochs=100)


@pytest.fixture(scope="module")
def writer(world: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    out = tmp_path_factory.mktemp("writer") / "world.writer"
    return out, train_writer(world, questions, out, embedder=embedder, max_hops=2, epochs=60)


@pytest.mark.whole
def test_towers_learn_words_that_are_not_those_of_the_relations(
    towers: tuple[File, RelationReport], world: Graph
) -> None:
    out, report = towers
    assert report.untrained is not None
    assert report.trained is not None
    assert report.trained.hits_at_1 > 0.7 > report.untrained.hits_at_1
    assert "in wordings kept apart: Hits@1" in str(report)
    pipeline = Patterns(PathTowers(str(out)), max_hops=2) >> PathAnswer()
    assert pipeline(world, "quickly, the money of land 3", seeds=["land 3"]).texts == ("coin 3",)
    assert pipeline(world, "the money where seat is city 3", seeds=["city 3"]).texts == ("coin 3",)


def test_towers_score_relations_only(towers: tuple[File, RelationReport], world: Graph) -> None:
    scorer = PathTowers(str(towers[0]))
    query = Query("seat of land 3", (world.entity("land 3"), world.entity("land 5")))
    paths = ShortestPaths(max_hops=1).retrieve(query, Subgraph(world)).paths
    scores = scorer.rate_items(query.text, paths)
    assert np.allclose(scores, scorer.score(query.text, [path.text for path in paths]), atol=1e-6)
    assert (np.abs(scores) <= 1 + 1e-6).all()
    best = max(zip(scores.tolist(), paths, strict=True), key=lambda pair: pair[0])[1]
    assert best.text == "land 3 -> capital -> city 3"
    assert relations_text((("a_b", False), ("c", True))) == "a b of, c"


def test_the_writer_writes_relations_that_ground(writer: tuple[File, RelationReport], world: Graph) -> None:
    out, report = writer
    assert report.untrained is None
    assert report.trained is not None
    assert report.trained.hits_at_1 > 0.9
    stage = WrittenRelations(str(out), beams=1)
    for text, seed, path in (
        ("money of land 3", "land 3", "land 3 -> currency -> coin 3"),
        ("money where seat is city 3", "city 3", "city 3 <- capital <- land 3 -> currency -> coin 3"),
    ):
        evidence = stage.retrieve(Query(text, (world.entity(seed),)), Subgraph(world))
        assert evidence.texts() == [path]
        assert 0 < evidence.items[0].score <= 1
    # What does not ground is passed over; the next sequences are taken.
    more = WrittenRelations(str(out), beams=3).retrieve(
        Query("money of land 3", (world.entity("land 3"),)), Subgraph(world)
    )
    assert len({path.pattern for path in more.paths}) == 2


def test_the_name_of_a_seed_is_masked_however_the_question_spells_it(
    writer: tuple[File, RelationReport], world: Graph
) -> None:
    seed, stage = world.entity("land 3"), WrittenRelations(str(writer[0]), beams=1)
    by_label = stage.retrieve(Query("money of land 3", (seed,)), Subgraph(world))
    query = Query("money of borders capital", (seed,), mentions=(Mention("borders capital", seed),))
    by_mention = stage.retrieve(query, Subgraph(world))
    assert by_mention == by_label
    assert [item.score for item in by_mention.items] == [item.score for item in by_label.items]


def test_nothing_that_grounds_is_an_event(writer: tuple[File, RelationReport], world: Graph) -> None:
    with record(Trace(), "test", "retrieve") as entry:
        evidence = WrittenRelations(str(writer[0]), tried=1).retrieve(
            Query("money where seat is coin 3", (world.entity("coin 3"),)), Subgraph(world)
        )
    assert not evidence.items
    assert told(entry.events) == [("written_relations.no_match", {"n": 1})]


def test_beam_search_gives_the_likeliest_sequences() -> None:
    rng = np.random.default_rng(0)
    model = RelationModel(
        (("a", True), ("b", False)),
        rng.standard_normal((3, 4, 3)).astype(np.float32),
        rng.standard_normal((3, 3)).astype(np.float32),
    )
    vector = rng.standard_normal(4).astype(np.float32)
    every = {}
    for symbols in [(i,) for i in (1, 2)] + [(i, j) for i in (1, 2) for j in (1, 2)]:
        before, total = STOP, 0.0
        for place, now in enumerate((*symbols, STOP)):
            total += float(model.log_probabilities(vector, place, before)[now])
            before = now
        every[tuple(model.relations[s - 1] for s in symbols)] = total
    ranked = sorted(every, key=lambda sequence: -every[sequence])
    written = model.written(vector, beams=10)
    assert [sequence for _, sequence in written] == ranked
    assert np.allclose([p for p, _ in written], np.exp([every[sequence] for sequence in ranked]))


def test_the_same_seed_gives_the_same_weights(
    world: Graph,
    questions: list[Question],
    embedder: EmbeddingModel,
    writer: tuple[File, RelationReport],
    tmp_path: File,
) -> None:
    train_writer(world, questions, tmp_path / "again.writer", embedder=embedder, max_hops=2, epochs=60)
    one, other = load_writer(str(writer[0]))[1], load_writer(str(tmp_path / "again.writer"))[1]
    assert np.array_equal(one.weights, other.weights)
    assert one.relations == other.relations


def test_files_that_are_missing_damaged_or_there_already_are_errors(
    world: Graph,
    questions: list[Question],
    embedder: EmbeddingModel,
    towers: tuple[File, RelationReport],
    tmp_path: File,
) -> None:
    with fails("learned_file.not_readable", ModelError):
        PathTowers(str(tmp_path / "none")).score("?", ["a"])
    damaged = tmp_path / "damaged.towers"
    damaged.write_bytes(towers[0].read_bytes()[:100])
    with fails("learned_file.damaged", ModelError, model="towers"):
        PathTowers(str(damaged)).score("?", ["a"])
    with fails("learned_file.damaged", ModelError, model="writer"):
        WrittenRelations(str(towers[0])).retrieve(Query("?", (0,)), Subgraph(world))
    with fails("learned_file.exists", ModelError):
        train_towers(world, questions, towers[0], embedder=embedder, epochs=1)
    with fails("train_patterns.no_pattern", InputError, n=1):
        train_writer(world, [Question("1", "?", ("city 1",), ("nowhere",))], tmp_path / "x", embedder=embedder)


def test_a_short_sequence_is_written_where_many_relations_are_likelier_than_its_end() -> None:
    weights = np.zeros((4, 1, 21), dtype=np.float32)
    weights[:, 0, STOP] = -0.1
    model = RelationModel(tuple((f"r{i}", True) for i in range(20)), weights, np.zeros((21, 21), dtype=np.float32))
    few = model.written(np.ones(1, dtype=np.float32), 3)
    assert [len(sequence) for _, sequence in few] == [1, 1, 1]
    assert few == model.written(np.ones(1, dtype=np.float32), 25)[:3]


def test_files_without_content_or_facts_are_damaged(tmp_path: File) -> None:
    empty, bare = tmp_path / "empty.towers", tmp_path / "bare.towers"
    empty.touch()
    with bare.open("wb") as file:
        np.savez(file, description=np.array(json.dumps({"kind": "towers", "version": 1, "embedder": "MiniLM()"})))
    for damaged in (empty, bare):
        with fails("learned_file.damaged", ModelError, model="towers"):
            PathTowers(str(damaged)).score("?", ["a"])


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"epochs": -1}, {"max_hops": 11}, {"seed": -1}])
def test_numbers_out_of_range_are_errors_before_the_work(
    world: Graph, questions: list[Question], embedder: EmbeddingModel, tmp_path: File, wrong: dict[str, int]
) -> None:
    for train in (train_towers, train_writer):
        with fails("train.bad_whole_number", InputError, name=next(iter(wrong))):
            train(world, questions, tmp_path / "x", embedder=embedder, **wrong)  # type: ignore[arg-type]
    with fails("train_towers.bad_margin", InputError):
        train_towers(world, questions, tmp_path / "x", embedder=embedder, margin=float("nan"))
    assert not (tmp_path / "x").exists()


def test_a_writer_cannot_learn_from_patterns_that_all_come_back(embedder: EmbeddingModel, tmp_path: File) -> None:
    graph = build([("anna", "child", "bob"), ("bob", "parent", "anna")], tmp_path / "family.graph")
    question = Question("1", "seat of land anna", ("anna",), ("anna",))
    with fails("train_writer.only_returning", InputError):
        train_writer(graph, [question], tmp_path / "x", embedder=embedder)


def test_a_question_with_two_seeds_counts_once(world: Graph, embedder: EmbeddingModel, tmp_path: File) -> None:
    both = Question("b", "money of land 1 or land 2", ("land 1", "land 2"), ("coin 1", "coin 2"))
    towers = train_towers(world, [both], tmp_path / "t", embedder=embedder, epochs=1)
    writer = train_writer(world, [both], tmp_path / "w", embedder=embedder, epochs=1)
    assert (towers.questions, towers.learned, writer.learned) == (1, 1, 1)


def test_a_row_with_many_negatives_keeps_its_question_and_all_that_is_right() -> None:
    right = np.arange(300) % 100 == 0
    row = QuestionRow(7, 3, np.arange(300), right, right.astype(np.float32), right.astype(np.float32) / 2)
    drawn = _drawn(row, np.random.default_rng(0))
    assert (drawn.number, drawn.question, len(drawn.patterns), drawn.right.sum()) == (7, 3, 64 + 3, 3)
    assert {0, 100, 200} <= set(drawn.patterns.tolist())
    assert (drawn.f1 == drawn.right).all()
    assert (drawn.precision * 2 == drawn.right).all()
