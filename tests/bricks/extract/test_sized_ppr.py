"""Subgraphs cut by need: the cut by share, the learned one, and files that are none."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from faults import fails

from graphbrick import PPR, Graph, Query, build, parse
from graphbrick.bricks.extract.seeds import start
from graphbrick.bricks.extract.sized_ppr import SizedPPR, ranking
from graphbrick.bricks.extract.sizers import Around, LearnedSizer, ShareSizer, n_links, sizes_of
from graphbrick.cli.app import main
from graphbrick.core.errors import InputError, ModelError, PipelineError
from graphbrick.learn.feedback import Feedback, feedback_place
from graphbrick.learn.train.sizes import train_sizes
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.testing import check_brick, tiny_graph

ASK = "Which currency is used in the country whose capital is Nairobi?"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Films of directors: from a film one hop to its director, two to the other films, with many readers around."""
    rng = np.random.default_rng(0)
    triples = [(f"film {i}", "directed by", f"director {i % 40}") for i in range(200)]
    triples += [(f"film {rng.integers(200)}", "seen by", f"viewer {rng.integers(300)}") for _ in range(1500)]
    return build(triples, tmp_path_factory.mktemp("sizes") / "films.graph")


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    near = [Question(f"a{i}", f"who directed film {i}", (f"film {i}",), (f"director {i % 40}",)) for i in range(60)]
    far = [
        Question(
            f"b{i}",
            f"which films are of the director who made the film that is film {i}",
            (f"film {i}",),
            tuple(f"film {j}" for j in range(i % 40, 200, 40) if j != i),
        )
        for i in range(60)
    ]
    return near + far


def test_the_contract() -> None:
    check_brick(SizedPPR())
    check_brick(SizedPPR(ShareSizer(0.2, 0.3), PPR(k=3, restart=0.5)))


def test_the_cut_is_the_first_with_the_share() -> None:
    shares = np.array([0.3, 0.55, 0.7, 0.9, 1.0])
    # Three links and few triples: most; no link and many triples: least.
    assert ShareSizer(0.5, 0.75).size(Around(ASK, (2,), shares)) == 4
    assert ShareSizer(0.5, 0.75).size(Around("currency Kenya", (500,), shares)) == 2
    assert ShareSizer(0.55, 0.55).size(Around(ASK, (2,), shares)) == 2
    assert ShareSizer().size(Around(ASK, (), shares[:0])) == 0
    # A neighbourhood full of triangles is as dense as one with many triples; one without any is not sparse.
    assert ShareSizer(0.5, 0.75).size(Around("currency Kenya", (20, 20), shares, (0.1, 0.5))) == 2
    assert ShareSizer(0.5, 0.75).size(Around("currency Kenya", (20, 20), shares, (0.1, 0.3))) == 3
    assert ShareSizer(0.5, 0.75).size(Around("currency Kenya", (20,), shares, (0.0,))) == 3


def test_what_is_kept_are_the_best_of_ppr(graph: Graph) -> None:
    query = Query("film 3", seeds=(graph.entity("film 3"),))
    ppr = PPR(k=150)
    found = SizedPPR(ShareSizer(0.3, 0.4), ppr).extract(graph, query)
    assert found.nodes is not None
    ranked, around = ranking(graph, ppr, query.text, start(graph, query))
    size = found.n_nodes - 1
    assert 1 < size < 150
    assert set(found.nodes.tolist()) == {*query.seeds, *ranked[:size].tolist()}
    assert around.shares[size - 1] >= 0.3 > around.shares[0]
    # The seed is one of PPR's k.
    fixed = PPR(k=found.n_nodes).extract(graph, query)
    assert found.triples is not None
    assert fixed.triples is not None
    assert found.triples.tolist() == fixed.triples.tolist()


def test_without_seeds_in_the_graph() -> None:
    assert SizedPPR().extract(tiny_graph(), Query("?", seeds=())).n_nodes == 0


@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000, 2000])
def test_sizes(n: int) -> None:
    sizes = sizes_of(n)
    assert (np.diff(sizes) > 0).all()
    assert sizes.tolist()[-1:] == [n][: n > 0]
    assert sizes.tolist()[:1] == [1][: n > 0]


def test_links() -> None:
    assert (n_links("who directed Inception"), n_links(""), n_links("films OF the director, whose films")) == (1, 0, 2)


class TestLearned:
    @pytest.mark.whole
    def test_an_aim_is_reached_and_hard_questions_get_more(
        self, graph: Graph, questions: list[Question], tmp_path: Path
    ) -> None:
        grounded = ground(graph, questions).questions
        report = train_sizes(graph, questions[::2], tmp_path / "sizes.json", ppr=PPR(k=400))
        assert report.learned_from == 60
        assert (np.diff(report.size) >= 0).all()
        kept: dict[str, list[int]] = {"a": [], "b": []}
        recall = []
        for question in grounded[1::2]:
            found = SizedPPR(LearnedSizer(str(tmp_path / "sizes.json"), 0.9), PPR(k=400)).extract(
                graph, question.query()
            )
            assert found.nodes is not None
            kept[question.question.id[0]].append(found.n_nodes)
            nodes = set(found.nodes.tolist())
            recall.append(np.mean([bool(nodes.intersection(some)) for some in question.gold]))
        assert np.mean(recall) > 0.8
        assert np.mean(kept["a"]) < np.mean(kept["b"]) < 300

    def test_a_file_of_before_the_clustering_coefficient_is_read(
        self, graph: Graph, questions: list[Question], tmp_path: Path
    ) -> None:
        file = tmp_path / "sizes.json"
        train_sizes(graph, questions[:40], file)
        content = json.loads(file.read_text())
        around = Around("who directed film 3", (4,), np.linspace(0.01, 1, 100), (0.5,))
        sizes = []
        for weights in (content["weights"][:9], [*content["weights"][:9], 0.0, 0.0]):
            names = content["features"][: len(weights)]
            version = {9: 1, 11: 2}[len(weights)]
            file.write_text(json.dumps(content | {"weights": weights, "features": names, "version": version}))
            sizes.append(LearnedSizer(str(file)).size(around))
        assert sizes[0] == sizes[1] > 0

    @pytest.mark.whole
    def test_the_same_seed_gives_the_same_file(self, graph: Graph, questions: list[Question], tmp_path: Path) -> None:
        for name in ("one", "two"):
            train_sizes(graph, questions[:40], tmp_path / name, seed=3)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]

    def test_a_file_that_is_there_is_kept(self, graph: Graph, questions: list[Question], tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("by hand")
        grounded = ground(graph, questions[:40])
        with fails("sizes.file_exists", InputError):
            train_sizes(graph, grounded, tmp_path / "notes.txt")
        assert (tmp_path / "notes.txt").read_text() == "by hand"
        train_sizes(graph, grounded, tmp_path / "notes.txt", overwrite=True)
        assert json.loads((tmp_path / "notes.txt").read_text())["questions"] == 40

    @pytest.mark.whole
    def test_a_higher_aim_keeps_no_less(self, graph: Graph, questions: list[Question], tmp_path: Path) -> None:
        grounded = ground(graph, questions)
        train_sizes(graph, grounded, tmp_path / "sizes.json")
        query = grounded.questions[-1].query()
        sizes = [
            SizedPPR(LearnedSizer(str(tmp_path / "sizes.json"), aim)).extract(graph, query).n_nodes
            for aim in (0.3, 0.6, 0.9, 0.99)
        ]
        assert sizes == sorted(sizes)

    def test_too_few_questions(self, graph: Graph, questions: list[Question], tmp_path: Path) -> None:
        lost = Question("x", "who?", (), ("director 1",))
        with fails("sizes.too_few_questions", InputError, n=19, total=29):
            train_sizes(graph, [*questions[:19], *[lost] * 10], tmp_path / "sizes.json")
        assert not list(tmp_path.iterdir())

    def test_a_folder_is_refused_before_the_work(
        self, graph: Graph, questions: list[Question], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        ranked: list[object] = []
        for out in (".", "/", str(tmp_path)):
            with fails("sizes.is_folder", InputError):
                train_sizes(graph, questions, out, progress=lambda *told: ranked.append(told))
        assert not ranked

    @pytest.mark.whole
    @pytest.mark.parametrize(
        "change",
        [
            {"format": "x"},
            {"version": 3},
            {"version": 1},
            {"weights": [1]},
            {"cuts": []},
            {"reached": ["a"]},
            {"features": None},
        ],
    )
    def test_a_file_that_is_none(
        self, change: dict[str, object], graph: Graph, questions: list[Question], tmp_path: Path
    ) -> None:
        file = tmp_path / "sizes.json"
        train_sizes(graph, questions[:40], file)
        file.write_text(json.dumps(json.loads(file.read_text()) | change))
        with fails("sizes.damaged", ModelError):
            SizedPPR(LearnedSizer(str(file))).run(tiny_graph(), ASK)
        file.write_bytes(b"\xff\x00")
        with fails("sizes.damaged", ModelError):
            SizedPPR(LearnedSizer(str(file))).run(tiny_graph(), ASK)
        file.unlink()
        for path in (str(file), "a" * 5000, "a\0b", "~nobody-of-this-name/sizes.json"):
            with fails("sizes.not_readable", ModelError):
                SizedPPR(LearnedSizer(path)).run(tiny_graph(), ASK)

    def test_a_file_in_the_home_folder(
        self, graph: Graph, questions: list[Question], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        train_sizes(graph, questions[:40], tmp_path / "sizes.json")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert SizedPPR(LearnedSizer("~/sizes.json")).run(tiny_graph(), ASK).subgraph is not None


@pytest.mark.whole
def test_the_command(
    graph: Graph, questions: list[Question], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [{"id": q.id, "question": q.text, "seeds": q.seeds, "answers": q.answers} for q in questions]
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(SystemExit) as stopped:
        main(["train", "sizes", str(graph.path), str(tmp_path / "asked.jsonl"), "-o", str(tmp_path / "sizes.json")])
    assert not stopped.value.code
    printed = capsys.readouterr().out
    assert "learned from 120 questions; a fifth at a time, while it was held back, had:" in printed
    assert f"SizedPPR(LearnedSizer('{tmp_path}/sizes.json', recall=0.9), PPR(k=2000))" in printed
    assert LearnedSizer(str(tmp_path / "sizes.json")).size(Around("who?", (5,), np.linspace(0.1, 1, 10))) <= 10


@pytest.mark.whole
def test_the_command_learns_from_feedback(
    graph: Graph, questions: list[Question], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marked = [
        Feedback(one.text, one.seeds, one.answers, i % 3 > 0, (), "PPR()", "2026-01-01T00:00:00")
        for i, one in enumerate(questions)
    ]
    place = feedback_place(graph)
    place.write_text("".join(json.dumps(asdict(one)) + "\n" for one in marked))
    try:
        with pytest.raises(SystemExit) as stopped:
            main(["train", "sizes", str(graph.path), "--feedback", "-o", str(tmp_path / "sizes.json")])
    finally:
        place.unlink()
    assert not stopped.value.code
    assert "learned from 80 questions" in capsys.readouterr().out  # those marked right
    with pytest.raises(SystemExit):
        main(["train", "sizes", str(graph.path), "-o", str(tmp_path / "none.json")])
    assert "there are no questions to learn from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "brick", "name"),
    [
        ("SizedPPR(BM25())", "SizedPPR", "sizer"),
        ("SizedPPR(ppr=PPR(seeds='each'))", "SizedPPR", "ppr"),
        ("SizedPPR(ShareSizer(0.8, 0.7))", "ShareSizer", "most"),
        ("SizedPPR(ShareSizer(0, 0.7))", "ShareSizer", "least"),
        ("SizedPPR(LearnedSizer(''))", "LearnedSizer", "path"),
        ("SizedPPR(LearnedSizer('x', recall=1.0))", "LearnedSizer", "recall"),
    ],
)
def test_wrong_parameters(text: str, brick: str, name: str) -> None:
    with fails("parameter.not_allowed", PipelineError, brick=brick, name=name):
        parse(text)
