"""Experiments: the same results however they are interrupted, spread over workers, or shared among pipelines."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace

import pytest
from faults import fails
from threadpoolctl import threadpool_info, threadpool_limits

from graphbrick import BM25, LLM, Generate, GraphbrickError, ShortestPaths, build, parse
from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths as Paths
from graphbrick.core.compute import _VARIABLES
from graphbrick.core.errors import InputError
from graphbrick.pipeline import RetrieveStage
from graphbrick.pipeline.budget import Budget, spending
from graphbrick.questions.question import Question
from graphbrick.study.metrics.sets import answer_scores
from graphbrick.study.report.summary import summarize_study
from graphbrick.study.report.writing import write_report
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.store.identity import changed_files
from graphbrick.study.store.reader import Study
from graphbrick.testing import TINY, ScriptedLLM, tiny_graph

GRAPH = tiny_graph()
TEXTS = {
    "bm25": "PPR(k=6) >> ShortestPaths() >> Rerank(BM25(), n=4) >> PathAnswer()",
    "ngram": "PPR(k=6) >> ShortestPaths() >> Rerank(NGram(), n=4) >> PathAnswer()",
    "near": "ShortestPaths(max_hops=1) >> PathAnswer()",
}


def questions(n=30):
    """Questions with known answers, some of which the graph does not have, and some without seeds or gold."""
    rng = random.Random(1)
    found = []
    for i in range(n):
        head, relation, tail = rng.choice(TINY)
        answers = (tail,) if i % 7 else ("Euro",)
        seeds = (head,) if i % 5 else ("Atlantis",) if i % 10 else ()
        gold = answers if i % 11 else ()
        found.append(Question(f"q{i}", f"What is the {relation} of {head}?", seeds, gold, hops=1 + i % 3, dataset="d"))
    return found


def kept(path):
    """All results of a study but times, by pipeline and question."""
    rows = {}
    with Study.open(path) as study:
        names = {question.id: question.name for question in study.questions()}
        for run in study.runs():
            for result, detail in zip(study.results(run.id), study.details(run.id), strict=True):
                stages = tuple((stage, kind) for stage, kind, _ in result.stage_seconds)
                plain = replace(result, seconds=0, session=0, run=0, question=0, stage_seconds=stages)
                words = replace(detail, run=0, question=0,
                                stages=tuple(dict(stage) | {"seconds": 0} for stage in detail.stages))  # fmt: skip
                rows[run.recipe, names[result.question]] = (plain, dict(result.metrics), words)
    return rows


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "runs.sqlite"
    evaluate(GRAPH, questions(), TEXTS, out=path).close()
    return kept(path)


def test_every_question_has_a_result_that_is_right(whole, tmp_path):
    study = evaluate(GRAPH, questions(), TEXTS, out=tmp_path / "a.sqlite")
    asked = {question.id: question for question in questions()}
    for run in study.runs():
        assert (run.questions, run.done, run.finished is not None) == (30, 30, True)
        pipeline, names = parse(run.recipe), {question.id: question for question in study.questions()}
        for result, detail in zip(study.results(run.id), study.details(run.id), strict=True):
            question = asked[names[result.question].name]
            if question.seeds == ("Atlantis",):
                assert "the graph has none of its seeds ('Atlantis')" in result.error
                continue
            answer = pipeline(GRAPH, question.text, seeds=question.seeds)
            assert tuple(said.text for said in detail.answers) == answer.texts
            assert (result.n_answers, result.error) == (len(answer.texts), None)
            if not question.answers:
                assert (result.metrics["hits_at_1"], result.metrics["path_f1"], result.lost_at) == (None, None, None)
                continue
            gold = [GRAPH.named(name) for name in question.answers]
            assert result.metrics["entity_f1"] == answer_scores(answer.entities, gold).f1
            assert (result.lost_at == "none") == (result.metrics["hits_at_1"] == 1)
            assert detail.answers[0].right is (result.metrics["hits_at_1"] == 1)
    assert kept(tmp_path / "a.sqlite") == whole
    study.close()


def test_what_failed_scores_0_and_is_not_left_out(whole):
    (result, metrics, words) = whole[repr(parse(TEXTS["bm25"])), "q15"]
    assert result.error is not None
    assert (metrics["hits_at_1"], metrics["subgraph_recall"], metrics["path_f1"], metrics["mrr"]) == (0, 0, 0, 0)
    assert (metrics["nodes"], result.lost_at, words.answers) == (None, "linking", ())
    near = whole[repr(parse(TEXTS["near"])), "q15"][1]
    assert (near["subgraph_recall"], near["hits_at_1"]) == (None, 0)  # it extracts no subgraph that could be measured


class Killed(BaseException):
    """As if the process ended."""


class Killer:
    """Watches an evaluation and ends it after some steps."""

    def __init__(self, rng):
        self.left, self.how = rng.randint(1, 40), rng.choice([Killed, KeyboardInterrupt])

    def __call__(self, step, done, total):
        self.left -= 1
        if not self.left:
            raise self.how


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(4))
def test_an_evaluation_that_is_killed_is_taken_up(tmp_path, whole, seed):
    path, rng = tmp_path / "runs.sqlite", random.Random(seed)
    for _ in range(5):
        try:
            evaluate(GRAPH, questions(), TEXTS, out=path, progress=Killer(rng)).close()
        except (Killed, KeyboardInterrupt):
            continue
    study = evaluate(GRAPH, questions(), TEXTS, out=path)
    assert kept(path) == whole
    assert [run.done for run in study.runs()] == [30, 30, 30]
    endings = {sitting.ended for sitting in study.sessions()}
    assert endings <= {"done", "stopped by Ctrl-C", "Killed()"}
    study.close()


@pytest.mark.whole
@pytest.mark.parametrize("workers", [2])
def test_results_do_not_depend_on_workers(tmp_path, whole, workers):
    evaluate(GRAPH, questions(), TEXTS, out=tmp_path / "runs.sqlite", workers=workers).close()
    assert kept(tmp_path / "runs.sqlite") == whole


@pytest.mark.whole
def test_a_script_that_workers_cannot_import(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from graphbrick.study import evaluate\n"
        "from graphbrick.questions import Question\n"
        "from graphbrick import Graph\n"
        f"graph, out = Graph.open({str(GRAPH.path)!r}), {str(tmp_path / 'a.sqlite')!r}\n"
        "evaluate(graph, [Question('1', 'What?')], 'PPR()', out=out, workers=2)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=120)
    assert "a worker process ended unexpectedly" in done.stderr.splitlines()[-1]


def test_pipelines_by_themselves_and_in_any_order(tmp_path, whole):
    for name in ("near", "ngram", "bm25"):
        evaluate(GRAPH, questions(), {name: TEXTS[name]}, out=tmp_path / "runs.sqlite").close()
    assert kept(tmp_path / "runs.sqlite") == whole


@dataclass(frozen=True, repr=False)
class CountingPaths(RetrieveStage):
    """Counts the questions that it is asked, and fails on some."""

    failing: str = ""
    asked = Counter()

    def retrieve(self, query, subgraph):
        self.asked[query.id] += 1
        if query.id in self.failing.split():
            raise GraphbrickError(f"no luck with {query.id}")
        return Paths().retrieve(query, subgraph)


@pytest.fixture(autouse=True)
def nothing_asked():
    CountingPaths.asked.clear()


def asked_of(n):
    return [Question(f"q{i}", "What is the capital of Kenya?", ("Kenya",), ("Nairobi",), hops=1) for i in range(n)]


def test_what_is_done_is_not_asked_again(tmp_path):
    path = tmp_path / "runs.sqlite"
    evaluate(GRAPH, asked_of(9), [CountingPaths()], out=path, limit=3).close()
    assert sum(CountingPaths.asked.values()) == 3
    evaluate(GRAPH, asked_of(9), [CountingPaths()], out=path, limit=5).close()
    evaluate(GRAPH, asked_of(9), [CountingPaths(), ShortestPaths()], out=path).close()
    study = evaluate(GRAPH, asked_of(9)[:2], [CountingPaths()], out=path)
    assert CountingPaths.asked == {f"q{i}": 1 for i in range(9)}
    assert [(run.name, run.questions, run.done) for run in study.runs()] == [("pipeline 1", 9, 9), ("pipeline 2", 9, 9)]
    evaluate(GRAPH, asked_of(9)[:2], [CountingPaths()], out=path, fresh=True).close()
    assert sum(CountingPaths.asked.values()) == 11
    assert [run.questions for run in study.runs()] == [2, 9]
    study.close()


def test_an_error_is_a_result_and_can_be_tried_again(tmp_path):
    path, pipeline = tmp_path / "runs.sqlite", CountingPaths("q1 q3")
    with evaluate(GRAPH, asked_of(4), [pipeline], out=path) as study:
        assert [result.error for result in study.results(1)] == [None, "no luck with q1", None, "no luck with q3"]
        assert [result.lost_at for result in study.results(1)] == ["none", "retrieval", "none", "retrieval"]
        assert study.runs()[0].finished is not None
    evaluate(GRAPH, asked_of(4), [pipeline], out=path).close()
    assert sum(CountingPaths.asked.values()) == 4
    evaluate(GRAPH, asked_of(4), [pipeline], out=path, retry=True).close()
    assert CountingPaths.asked == {"q0": 1, "q1": 2, "q2": 1, "q3": 2}


def test_another_prompt_is_another_run_and_another_timeout_is_not(tmp_path):
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("[user]\n{evidence}\n{question}\n")
    asked = [Question("q", "What is the capital of Kenya?", ("Kenya",), ("Nairobi",), dataset="d")]
    with ScriptedLLM(lambda request: "Nairobi") as server:

        def run(**options):
            llm = LLM("m", base_url=server.base_url, **options)
            pipeline = ShortestPaths(max_hops=1) >> Generate(llm, prompt=str(prompt))
            with evaluate(GRAPH, asked, {"mine": pipeline}, out=tmp_path / "runs.sqlite") as study:
                return study.runs(), len(server.requests)

        run(timeout=5.0)
        runs, calls = run(timeout=9.0, retries=1)
        assert ([one.name for one in runs], calls) == (["mine"], 1)
        prompt.write_text("[user]\nPaths:\n{evidence}\n{question}\n")
        runs, calls = run(timeout=5.0)
        assert ([one.name for one in runs], calls) == (["mine", "mine (2)"], 2)
        assert changed_files(runs) == {2: ("mine", (str(prompt),))}
        assert run()[1] == 2
    write_report(tmp_path / "runs.sqlite", html=tmp_path / "out.html")
    told = f"mine (2) is another run than mine, because a file changed: {prompt}"
    assert told in (tmp_path / "out.html").read_text()


def test_a_graph_that_was_changed_is_another_run(tmp_path):
    path, text = tmp_path / "runs.sqlite", "ShortestPaths(max_hops=1)"
    changed = build([*TINY, ("Kenya", "language", "Swahili")], tmp_path / "more.graph")
    evaluate(GRAPH, asked_of(2), text, out=path).close()
    with evaluate(changed, asked_of(2), text, out=path) as study:
        assert [run.graph_hash for run in study.runs()] == [GRAPH.hash, changed.hash]
        assert [(run.questions, run.done) for run in study.runs()] == [(2, 2), (2, 2)]
        assert len(study.questions()) == 4


def test_seeds_are_given_or_linked(tmp_path):
    path, text = tmp_path / "runs.sqlite", "ShortestPaths(max_hops=1)"
    wrong = [Question("1", "What is the capital of Kenya?", ("Rwanda",), ("Nairobi",))]
    evaluate(GRAPH, wrong, text, out=path).close()
    with evaluate(GRAPH, wrong, text, out=path, link=True) as study:
        assert [run.linked for run in study.runs()] == [False, True]
        assert [study.detail(run, 1).seeds[0][0] for run in (1, 2)] == ["Rwanda", "Kenya"]
        assert [study.results(run)[0].lost_at for run in (1, 2)] == ["retrieval", "none"]


def test_linking_is_measured_where_the_pipeline_links_and_the_file_has_seeds(tmp_path):
    measures = ("linking_recall_at_1", "linking_recall_at_5", "linking_precision")
    texts = {"1": ("Is Kampala the capital of Kenya?", ("Kenya",)), "2": ("What is Kenya?", ("Kenya", "Atlantis")),
             "3": ("What is it?", ("Kenya",)), "4": ("What is Kenya?", ())}  # fmt: skip
    asked = [Question(name, text, seeds, ("Nairobi",)) for name, (text, seeds) in texts.items()]
    path, text = tmp_path / "runs.sqlite", "ShortestPaths(max_hops=1)"
    evaluate(GRAPH, asked, text, out=path).close()
    with evaluate(GRAPH, asked, text, out=path, link=True) as study:
        given, linked = ([[r.metrics[name] for name in measures] for r in study.results(run)] for run in (1, 2))
        assert given == [[None] * 3] * 4
        assert linked == [[1, 1, 0.5], [0.5, 0.5, 1], [0, 0, 0], [None] * 3]
        figures = summarize_study(study).figures
        assert [one.linking.get("linking_recall_at_1") for one in figures if not one.run.linked] == [None]
        (mean,) = (one.linking["linking_recall_at_1"] for one in figures if one.run.linked)
        assert (mean.all, mean.scored) == (0.5, 3)
        page = tmp_path / "page.md"
        write_report(path, markdown=page)
        rows = [[cell.strip() for cell in line.split("|")[2:-1]] for line in page.read_text().splitlines()]
        at = rows.index(["pipeline", "questions", "recall@1", "recall@5", "precision"])
        assert rows[at + 2][1:] == ["3", "50.0", "50.0", "50.0"]


def test_files_are_read_and_recorded(tmp_path):
    file = tmp_path / "mine.jsonl"
    rows = [{"question": q.text, "seeds": q.seeds, "answers": q.answers, "hops": q.hops} for q in asked_of(5)]
    file.write_text("\n".join(map(json.dumps, rows)))
    with evaluate(GRAPH, file, "ShortestPaths()", out=tmp_path / "runs.sqlite", limit=2, seed=3) as study:
        assert [(found.path, found.questions) for found in study.files()] == [(str(file), 5)]
        assert {question.file for question in study.questions()} == {1}
        assert len(study.questions()) == 2
        assert study.sessions()[0].options["seed"] == 3


def scripted(request):
    return "Nairobi"


def test_a_budget_ends_it_and_another_call_goes_on(tmp_path):
    path = tmp_path / "runs.sqlite"
    with ScriptedLLM(scripted) as server:
        pipeline = ShortestPaths(max_hops=1) >> Generate(LLM(base_url=server.base_url, max_tokens=20, parallel=4))
        with spending(Budget(tokens=2000)), fails("evaluate.stopped", total=40):
            evaluate(GRAPH, asked_of(40), [pipeline], out=path)
        with Study.open(path) as study:
            (run,) = study.runs()
            assert 0 < run.done < 40
            assert run.finished is None
            assert study.sessions()[0].options["workers"] == 4
            assert "tokens" in study.sessions()[0].ended
        before = len(server.requests)
        assert before == run.done
        with evaluate(GRAPH, asked_of(40), [pipeline], out=path) as study:
            assert study.runs()[0].done == 40
            assert {result.metrics["hits_at_1"] for result in study.results(1)} == {1}
            assert all(result.ledger["calls"] == 1 for result in study.results(1))
        assert len(server.requests) == 40


def test_ctrl_c_gives_calls_in_flight_up(tmp_path):
    from graphbrick.testing import Reply

    with ScriptedLLM(lambda request: Reply("Nairobi", delay=0.02)) as server:
        pipeline = ShortestPaths(max_hops=1) >> Generate(LLM(base_url=server.base_url, max_tokens=20))

        def progress(step, done, total):
            if done == 5 and step == "answering":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            evaluate(GRAPH, asked_of(60), [pipeline], out=tmp_path / "runs.sqlite", progress=progress)
        assert len(server.requests) < 60
    with Study.open(tmp_path / "runs.sqlite") as study:
        assert study.runs()[0].done >= 5
        assert study.sessions()[0].ended == "stopped by Ctrl-C"


def test_progress_is_told(tmp_path):
    told = []
    for _ in range(2):
        evaluate(GRAPH, asked_of(3), ["ShortestPaths()", "PPR(k=2)"], out=tmp_path / "runs.sqlite",
                 progress=lambda *step: told.append(step)).close()  # fmt: skip
    steps = [(done, total) for step, done, total in told if step == "answering"]
    assert steps == [(0, 6), (2, 6), (4, 6), (6, 6), (6, 6)]
    within = [step for step in told if step[0].startswith("answering; ")]  # before the first answer, too
    assert within[0] == ("answering; PPR(k=2)", 0, 6) or within[0] == ("answering; ShortestPaths()", 0, 6)


@pytest.mark.parametrize(
    ("arguments", "code", "values"),
    [
        ({"questions": []}, "evaluate.no_questions", {}),
        ({"questions": [*asked_of(1), *asked_of(1)]}, "evaluate.question_twice", {"id": "q0"}),
        ({"questions": [Question("1", " ")]}, "evaluate.empty_question", {"id": "1"}),
        ({"questions": [7]}, "evaluate.not_questions", {"source": 7}),
        ({"limit": 0}, "evaluate.bad_limit", {"limit": 0}),
        ({"limit": True}, "evaluate.bad_limit", {"limit": True}),
        ({"workers": 0}, "evaluate.bad_workers", {"workers": 0}),
        ({"pipelines": []}, "evaluate.no_pipeline", {}),
        ({"pipelines": ["PPR()", "PPR(k=1000)"]}, "evaluate.pipeline_twice", {}),
        ({"pipelines": {"a": "PPR()", "b": "PPR()"}}, "evaluate.pipeline_twice", {}),
        ({"pipelines": ["Rerank(BM25())"]}, "evaluate.cannot_start", {}),
        ({"pipelines": ["PRP()"]}, "recipe.no_brick", {"name": "PRP"}),
        ({"pipelines": [7]}, "evaluate.not_a_pipeline", {"source": 7}),
    ],
)
def test_bad_input(tmp_path, arguments, code, values):
    inputs = {"questions": asked_of(1), "pipelines": "PPR()"} | arguments
    with fails(code, **values):
        evaluate(GRAPH, inputs.pop("questions"), inputs.pop("pipelines"), out=tmp_path / "runs.sqlite", **inputs)
    assert not (tmp_path / "runs.sqlite").exists()


def test_a_file_of_questions_that_is_missing(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        evaluate(GRAPH, "missing.jsonl", "PPR()", out=tmp_path / "runs.sqlite")
    assert not (tmp_path / "runs.sqlite").exists()


def test_linear_algebra_takes_one_thread(tmp_path, monkeypatch):
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    seen, score = [], BM25.score

    def blas() -> dict[str, int]:
        # OpenMP counts for each thread apart; the BLAS of faiss has it, and no stage of a run multiplies with that.
        found = (one for one in threadpool_info() if one["user_api"] == "blas")
        return {one["filepath"]: one["num_threads"] for one in found if one["threading_layer"] != "openmp"}

    loaded = blas().keys()  # a library that is loaded later, as scipy's may be, has its own number

    def watched(self, query, texts):
        seen.extend(n for file, n in blas().items() if file in loaded)
        return score(self, query, texts)

    monkeypatch.setattr(BM25, "score", watched)
    with threadpool_limits(limits=2, user_api="blas"):
        evaluate(GRAPH, questions(3), {"bm25": TEXTS["bm25"]}, out=tmp_path / "runs.sqlite").close()
    assert set(seen) == {1}
