from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx_models import write_embedder

from graphbrick import (
    BM25,
    EmbeddingModel,
    LinkLabels,
    Operators,
    PathAnswer,
    Patterns,
    Pipeline,
    Query,
    RankEnds,
    Subgraph,
    build,
)
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.learn.learned import pipeline_over
from graphbrick.learn.train.patterns import end_choice
from graphbrick.learn.train.patterns.end_choice import FIXED as FIXED_WEIGHTS
from graphbrick.learn.train.patterns.end_choice import LEARNED, PLAIN
from graphbrick.learn.train.patterns.patterns import train_patterns
from graphbrick.patterns.ends.end_candidates import candidates_of, support_of
from graphbrick.patterns.ends.end_features import asks_for_many, features_of, preselected
from graphbrick.patterns.model.end_model import ALL, DEFAULT, FEATURES, OPEN, EndModel
from graphbrick.patterns.model.folder import DESCRIPTION, load
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.questions.question import Question
from graphbrick.study.metrics.sets import answer_scores
from graphbrick.testing import check_brick

FIXED = Patterns(BM25(), each=1, max_hops=1) >> RankEnds() >> PathAnswer(ends="listed")
FILMS = [
    ("Ann", "film", "Dawn"), ("Ann", "film", "Red River"), ("Ann", "film", "Dusk"), ("Ann", "film", "Storm"),
    ("Bob", "film", "Dusk"), ("Bob", "film", "Rain"), ("Storm", "shown at", "Stockholm Festival"),
    ("Dawn", "shown at", "Oslo Week"), ("Ann", "event", "Wedding"), ("Ann", "event", "12 May 1999"),
]  # fmt: skip


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(FILMS, tmp_path_factory.mktemp("ends") / "films.graph")


@pytest.mark.parametrize(
    ("question", "seeds", "answers"),
    [
        pytest.param("Which film has Ann and Bob?", ["Ann", "Bob"], ("Dusk",), id="two seeds meet"),
        pytest.param("Which film of Bob and Ann is it?", ["Bob", "Ann"], ("Dusk",), id="two seeds, other order"),
        pytest.param("Which film of Ann was in Stockholm, at the Festival?", ["Ann"], ("Storm",), id="a neighbour"),
        pytest.param("Which film of Ann has a river?", ["Ann"], ("Red River",), id="a word of the name"),
        pytest.param("When was the event of Ann?", ["Ann"], ("12 May 1999",), id="a date"),
    ],
)
def test_the_end_that_fits_comes_first(films: Graph, question: str, seeds: list[str], answers: tuple[str, ...]) -> None:
    assert FIXED(films, question, seeds=seeds).texts[:1] == answers
    if "river" not in question:  # a word of a name alone leaves nothing out
        assert FIXED(films, question, seeds=seeds).texts == answers


def test_all_ends_are_answers_where_no_word_tells_them_apart(films: Graph) -> None:
    answer = FIXED(films, "Which films of Ann are there?", seeds=["Ann"])
    assert set(answer.texts) == {"Dawn", "Red River", "Dusk", "Storm"}
    assert [proof.text for proof in answer.evidence.paths] == [f"Ann -> film -> {text}" for text in answer.texts]


def test_types_and_descriptions_count(tmp_path: Path) -> None:
    nodes = [
        EntityRecord("a", "Ann"),
        EntityRecord("b", "Bergen", types=("city",)),
        EntityRecord("n", "Norway", types=("country",)),
        EntityRecord("v", "Vik", types=("village",), description="a place by the sea"),
    ]
    graph = build([*nodes, *(("a", "lived in", end) for end in "bnv")], tmp_path / "typed.graph")
    pipeline = Patterns(BM25(), each=1, max_hops=1) >> RankEnds() >> PathAnswer(ends="listed")
    assert pipeline(graph, "In which country has Ann lived?", seeds=["a"]).texts[0] == "Norway"
    assert pipeline(graph, "In which city has Ann lived?", seeds=["a"]).texts[0] == "Bergen"
    assert pipeline(graph, "Which place by the sea has Ann lived in?", seeds=["a"]).texts[0] == "Vik"


def test_a_symmetric_relation_has_the_ends_of_both_directions(tmp_path: Path) -> None:
    graph = build(
        [("A", "borders", "B"), ("B", "borders", "A"), ("A", "borders", "C"), ("D", "borders", "A")], tmp_path / "g"
    )
    query, names = Query("what borders A", (graph.entity("A"),)), {"B", "C", "D"}
    evidence = Patterns(BM25(), each=1, max_hops=1).retrieve(query, Subgraph(graph))
    alike = replace(
        evidence, items=tuple(path.with_score(1.0) for path in evidence.paths), symmetric=frozenset(["borders"])
    )
    assert set(PathAnswer().generate(query, alike).texts) == names
    assert set(PathAnswer(ends="listed").generate(query, RankEnds().rerank(query, alike)).texts) == names
    assert set(PathAnswer().generate(query, evidence).texts) < names


def test_support_is_the_sum_over_walks_and_seeds(films: Graph) -> None:
    query = Query("which film", tuple(films.entity(name) for name in ("Ann", "Bob")))
    paths = Patterns(BM25(), n=8, each=1, max_hops=2).retrieve(query, Subgraph(films)).paths
    scored = [path.with_score(score) for path, score in zip(paths, np.linspace(2, 0, len(paths)), strict=True)]
    candidates = candidates_of(scored, query.seeds, Subgraph(films), 8)
    assert candidates is not None
    support = support_of(candidates)
    total = sum(np.exp(path.score) for path in scored)
    by_end: dict[int, list[tuple[float, int, int]]] = defaultdict(list)
    for path in scored:
        walk = next(walk for walk in candidates.walks if walk.path is path)
        for end in walk.followed.ends.tolist():
            if end not in query.seeds:
                by_end[end].append((np.exp(path.score) / total, path.start, len(walk.followed.ends)))
    assert candidates.entity.tolist() == sorted(by_end)
    for i, end in enumerate(candidates.entity.tolist()):
        reached = by_end[end]
        assert support.total[i] == pytest.approx(np.log(sum(share for share, _, _ in reached)))
        assert support.best[i] == pytest.approx(np.log(max(share for share, _, _ in reached)))
        assert support.spread[i] == pytest.approx(np.log(sum(share / size for share, _, size in reached)))
        assert np.exp(support.n_walks[i]) == pytest.approx(len(reached))
        assert np.exp(support.size[i]) == pytest.approx(min(size for _, _, size in reached))
        seeds = {start: sum(share for share, other, _ in reached if other == start) for _, start, _ in reached}
        assert support.other_seeds[i] == len(seeds) - 1
        second = sorted(seeds.values())[-2] if len(seeds) > 1 else 0
        assert support.second_seed[i] == pytest.approx(max(np.log(second) + 8, 0) if second else 0)


def test_only_the_best_supported_candidates_are_compared(tmp_path: Path) -> None:
    graph = build([("hub", "has", f"item {i}") for i in range(200)] + [("item 150", "of", "seed")], tmp_path / "g")
    query = Query("what has hub", (graph.entity("hub"), graph.entity("seed")))
    paths = Patterns(BM25(), n=4, each=1, max_hops=1).retrieve(query, Subgraph(graph)).paths
    candidates = candidates_of(paths, query.seeds, Subgraph(graph), 4)
    assert candidates is not None
    few = preselected(candidates, graph, list(query.seeds))
    assert len(few.entity) == 64
    assert graph.entity("item 150") in few.entity
    found = features_of(query.text, list(query.seeds), few, graph, None)
    assert found.shape == (64, len(FEATURES))
    assert np.isfinite(found).all()
    answer = (Patterns(BM25(), each=1, max_hops=1) >> RankEnds() >> PathAnswer(ends="listed")).run(graph, query).answer
    assert answer is not None
    assert answer.texts[0] == "item 150"


@pytest.mark.parametrize(
    ("question", "many"),
    [("Who are X's children?", True), ("which films did X direct", True), ("list the rivers of X", True),
     ("what is the capital of X", False), ("who is the boss of X", False), ("which class is X in", False), ("", False)],
)  # fmt: skip
def test_questions_for_many(question: str, many: bool) -> None:
    assert asks_for_many(question) is many


def test_evidence_without_paths_passes_through(films: Graph) -> None:
    evidence = Patterns(BM25(), each=1).retrieve(Query("q", (0,)), Subgraph(films))
    assert RankEnds().rerank(Query("q", (0,)), replace(evidence, items=())).items == ()
    check_brick(RankEnds())


FRIENDS = 60


@pytest.fixture(scope="module")
def friends(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """People with three friends each; one friend owns many things."""
    rows = []
    for i in range(FRIENDS):
        for step in (1, 7, 23):
            rows.append((f"P{i}", "friend", f"P{(i + step) % FRIENDS}"))
        rows += [(f"P{i}", "owns", f"thing {i} {j}") for j in range(12 if i % 3 == 0 else 1)]
    return build(rows, tmp_path_factory.mktemp("friends") / "friends.graph")


@pytest.fixture(scope="module")
def questions(friends: Graph) -> list[Question]:
    """The friend that is asked for is the one that owns most."""
    asked = []
    for i in range(FRIENDS):
        rich = [f"P{(i + step) % FRIENDS}" for step in (1, 7, 23) if (i + step) % 3 == 0]
        if rich:
            asked.append(Question(str(i), f"who is the friend of P{i}", (f"P{i}",), tuple(rich), hops=1))
            asked.append(Question(f"{i} things", f"what owns P{i}", (f"P{i}",), _things(friends, i), hops=1))
    return asked


def _things(graph: Graph, i: int) -> tuple[str, ...]:
    return tuple(graph.key(t) for t in graph.csr.tail[graph.csr.row(graph.entity(f"P{i}"), True)].tolist()
                 if graph.key(t).startswith("thing"))  # fmt: skip


@pytest.fixture(scope="module")
def trained(friends: Graph, questions: list[Question], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    words = "x who is the friend of what owns thing".split()
    table = {word: np.eye(10)[i].tolist() for i, word in enumerate(words)}
    table |= {f"p{i}": np.eye(10)[9].tolist() for i in range(FRIENDS)}
    write_embedder(folder / "e", table, output="sentence_embedding")
    return _train(friends, questions[::2] + questions[1::2], folder, "a.patterns")


def _train(graph: Graph, questions: list[Question], folder: Path, name: str) -> Path:
    # Wordings differ by a last word, so that a third of them can be held out.
    varied = [replace(q, text=f"{q.text} {'abcdefghijklm'[i % 13]}") for i, q in enumerate(questions)]
    train_patterns(graph, varied, folder / name, max_hops=1, embedder=EmbeddingModel(str(folder / "e")), rounds=6)
    return folder / name


def _pipeline(trained: Path, ends: RankEnds) -> Pipeline:
    return Patterns(PatternScorer(str(trained)), each=1, max_hops=1) >> ends >> PathAnswer(ends="listed")


@pytest.mark.whole
def test_learned_weights_beat_the_fixed_ones(friends: Graph, questions: list[Question], trained: Path) -> None:
    ends = load(str(trained)).ends
    assert ends is not None
    assert ends.learned >= 20
    which = [q for q in questions if q.text.startswith("who")]
    hits = {}
    for brick in (RankEnds(), RankEnds(str(trained))):
        pipeline = _pipeline(trained, brick)
        hits[brick] = np.mean(
            [answer_scores(pipeline(friends, q.text, seeds=q.seeds).texts, set(q.answers)).hits_at_1 for q in which]
        )
    assert hits[RankEnds(str(trained))] == 1
    assert hits[RankEnds()] < 0.7


@pytest.mark.whole
@pytest.mark.parametrize(
    ("hits", "chosen"), [((0.5, 0.7, 0.6), LEARNED), ((0.5, 0.4, 0.6), FIXED_WEIGHTS), ((0.6, 0.6, 0.6), PLAIN)]
)
def test_ends_are_ranked_only_where_held_out_questions_gain(
    friends: Graph,
    questions: list[Question],
    trained: Path,
    monkeypatch: pytest.MonkeyPatch,
    hits: tuple[float, float, float],
    chosen: str,
) -> None:
    by_way = dict(zip((PLAIN, LEARNED, FIXED_WEIGHTS), hits, strict=True))

    def measured(graph: Graph, place: str, held: list[GroundedQuestion]) -> list[tuple[float, float]]:
        return [(next(hit for way, hit in by_way.items() if Path(place).name.startswith(way)), 0.5)] * len(held)

    monkeypatch.setattr(end_choice, "_measured", measured)
    model = load(str(trained))
    ends, choice = end_choice.choose_ends(friends, ground(friends, questions).questions, model, seed=0)
    assert choice is not None
    assert choice.chosen == chosen
    assert {name: one.hits_at_1 for name, one in choice.quality.items()} == pytest.approx(by_way)
    assert (ends is None, ends is DEFAULT) == (chosen == PLAIN, chosen == FIXED_WEIGHTS)


@pytest.mark.whole
def test_training_is_the_same_twice(friends: Graph, questions: list[Question], trained: Path) -> None:
    again = load(str(_train(friends, questions[::2] + questions[1::2], trained.parent, "b.patterns"))).ends
    first = load(str(trained)).ends
    assert first is not None
    assert again is not None
    assert again.to_dict() == first.to_dict()


@pytest.mark.whole
def test_a_folder_without_weights_for_ends_has_the_fixed_ones(friends: Graph, trained: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.patterns"
    old.mkdir()
    for file in trained.iterdir():
        (old / file.name).write_bytes(file.read_bytes())
    described = json.loads((old / DESCRIPTION).read_text())
    del described["ends"], described["checksum"]  # which it had not either
    (old / DESCRIPTION).write_text(json.dumps(described))
    assert load(str(old)).ends is None
    question = "who is the friend of P5"
    texts = _pipeline(trained, RankEnds(str(old)))(friends, question, seeds=["P5"]).texts
    assert texts == _pipeline(trained, RankEnds())(friends, question, seeds=["P5"]).texts


def test_weights_are_kept_by_name() -> None:
    assert EndModel.from_dict(DEFAULT.to_dict()).to_dict() == DEFAULT.to_dict()
    with pytest.raises(ValueError, match="margins must be at least 0"):
        EndModel(DEFAULT.weights, margin=-1.0)
    with pytest.raises(ValueError, match="finite numbers"):
        EndModel(np.zeros(2), margin=ALL)


def test_the_pipeline_over_a_folder_ranks_ends_where_they_were_learned(trained: Path, friends: Graph) -> None:
    pipeline = pipeline_over(str(trained))
    assert repr(RankEnds(str(trained))) in repr(pipeline)
    run = pipeline.run(friends, "who is the friend of P5", seeds=["P5"])
    assert run.answer is not None
    assert run.evidence is not None
    assert {path.text for path in run.answer.evidence.paths} <= {path.text for path in run.evidence.paths}
    scores = [path.score for path in run.evidence.paths]
    assert 0 < np.exp(scores).sum() <= 1 + 1e-9  # those that were left out have the rest


def test_fixed_weights_keep_the_best_pattern_beside_many_other_ends(tmp_path: Path) -> None:
    rows = [("Ann", "boss", "Eve"), *(("Ann", "item", f"item {i}") for i in range(100))]
    rows += [(f"item {i}", "part", f"part {i} {j}") for i in range(100) for j in range(5)]
    graph = build(rows, tmp_path / "items.graph")
    assert FIXED(graph, "Who is the boss of Ann?", seeds=["Ann"]).texts == ("Eve",)


def test_a_triple_to_the_seed_itself_leaves_no_end_out(tmp_path: Path) -> None:
    rows = [("Sudan", "borders", "Egypt"), ("Sudan", "borders", "Chad"), ("Sudan", "language", "Arabic")]
    rows += [("Egypt", "language", "Arabic"), ("Chad", "language", "Arabic"), ("Chad", "language", "French")]
    graph = build(rows, tmp_path / "borders.graph")
    pipeline = Patterns(BM25(), each=1, max_hops=2) >> RankEnds() >> PathAnswer(ends="listed")
    answer = pipeline(graph, "Which language is spoken in countries that borders Sudan?", seeds=["Sudan"])
    assert answer.texts == ("Arabic", "French")
    assert answer.evidence.paths[0].hops == 2


def test_computed_answers_stay_as_they_are(films: Graph) -> None:
    query, plain = "How many films has Ann?", Operators(Patterns(BM25(), each=1, max_hops=1))
    computed = plain.retrieve(LinkLabels().link(films, Query(query)), Subgraph(films))
    assert computed.has_answers
    assert RankEnds().rerank(Query(query), computed) is computed
    assert (plain >> RankEnds() >> PathAnswer(ends="listed"))(films, query).texts == ("4",)


def test_fixed_weights_keep_the_best_pattern_except_where_it_is_seldom_certain() -> None:
    assert DEFAULT.keeps_best
    assert not OPEN.keeps_best
    assert EndModel.from_dict(OPEN.to_dict()).to_dict() == OPEN.to_dict()
