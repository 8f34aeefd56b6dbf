from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails

from graphbrick import LLM
from graphbrick.core.errors import InputError, ModelError
from graphbrick.judge.metrics.cases import SystemCase, cases_in
from graphbrick.judge.metrics.measuring import MetricStudy, measure_cases, plan_metrics
from graphbrick.judge.metrics.metric_judge import Metric, MetricJudge, MetricValue
from graphbrick.judge.verdicts import Case
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.testing import Reply, ScriptedLLM, tiny_graph
from graphbrick.testing.llm_server import Request

FAITHFUL, RECALL = Metric.FAITHFULNESS, Metric.CONTEXT_RECALL
CASES = [
    SystemCase("first", "1", Case("Q1?", ("yes",), "yes", ("yes",))),
    SystemCase("first", "2", Case("Q2?", ("yes",), "no")),
    SystemCase("first", "3", Case("Q3?", ("yes",), "")),
    SystemCase("second", "1", Case("Q1?", ("yes",), "yes", ("yes",))),  # the same as that of the first
    SystemCase("second", "2", Case("Q2?", ("yes",), "odd")),
]


@dataclass(frozen=True, repr=False)
class Broken(Embedder):
    """An embedder that cannot be loaded."""

    @property
    def identity(self) -> str:
        return "broken"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        raise ModelError("not installed")


def script(request: Request) -> str:
    """Reply as a judge for whom an answer is one statement, which follows if it says yes; odd ones it cannot judge."""
    data = json.loads(request.body["messages"][-1]["content"])
    if "text" in data:
        return json.dumps({"statements": [data["text"]]})
    said = [{"number": int(i), "verdict": "yes" if t == "yes" else "no"} for i, t in data["statements"].items()]
    return "I wonder." if "odd" in data["statements"].values() else json.dumps({"verdicts": said})


def measured(server: ScriptedLLM, file: Path, *metrics: Metric, cases: list[SystemCase] = CASES) -> MetricStudy:
    judge = MetricJudge(LLM(base_url=server.base_url, retries=0), metrics)
    return measure_cases(cases, judge, file)


def test_means_have_intervals_and_what_is_missing_is_counted(tmp_path: Path) -> None:
    with ScriptedLLM(script) as server:
        study = measured(server, tmp_path / "values.jsonl", FAITHFUL, RECALL)
    first, second, recalled, also = study.summaries()
    assert (first.system, first.metric, first.cases, first.unreadable) == ("first", FAITHFUL, 3, 0)
    assert study.usage.events == {}
    assert first.mean is not None
    assert (first.mean.mean, first.mean.n, first.without) == (0.5, 2, {"no answer": 1})
    assert (second.cases, second.unreadable, second.without) == (2, 1, {})
    assert second.example == "1 of 1 verdicts are missing, the last reply is 'I wonder.'"
    assert first.example == ""
    assert second.mean is not None
    assert (second.mean.mean, second.mean.n) == (1, 1)
    assert recalled.without == {"no reference": 2}
    assert also.unreadable == 0
    shown = json.loads(json.dumps(study.to_dict()))
    assert shown["metrics"][1]["unreadable"] == 1
    assert shown["cases"][2]["values"]["faithfulness"] == {"value": None, "reason": "no answer", "unreadable": False}
    assert shown["usage"]["calls"] == len(server.requests) == study.usage.calls


def test_what_the_judge_does_not_see_is_a_note(tmp_path: Path) -> None:
    with ScriptedLLM(script) as server:
        cases = [SystemCase("", str(i), Case("Q?", ("long " * 5000,), f"yes {i}")) for i in range(2)]
        study = measured(server, tmp_path / "values.jsonl", FAITHFUL, cases=cases)
    assert study.usage.events == {"the judge does not see all of the evidence, which is too long": 2}


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    file, seen = tmp_path / "values.jsonl", list[tuple[int, int]]()
    with ScriptedLLM(script) as server:
        whole = measured(server, file, FAITHFUL, RECALL)
        before = len(server.requests)
        assert before == 2 + 2 + 3 + 1  # the unreadable verdict is asked for twice; the equal case once; one recall
        again = measured(server, file, RECALL, FAITHFUL)
        assert len(server.requests) == before
        assert [dict(one) for one in again.values] == [dict(one) for one in whole.values]
        judge = MetricJudge(LLM(base_url=server.base_url), (FAITHFUL,))
        measure_cases(CASES, judge, file, retry=True, progress=lambda step, done, total: seen.append((done, total)))
        assert len(server.requests) == before + 3  # only the case whose verdict could not be read
        assert seen == [(3, 4), (4, 4)]
        measure_cases(CASES[:1], MetricJudge(LLM(base_url=server.base_url, temperature=0.5), (FAITHFUL,)), file)
        assert len(server.requests) == before + 5  # another judge


def test_an_interrupted_call_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "values.jsonl"
    with ScriptedLLM(
        lambda request: Reply("away", status=401) if "Q2" in request.prompt else script(request)
    ) as server:
        judge = MetricJudge(LLM(base_url=server.base_url, retries=0, parallel=1), (FAITHFUL,))
        with pytest.raises(ModelError):
            measure_cases(CASES, judge, file)
    kept = file.read_text()
    assert len(kept.splitlines()) == 1
    file.write_text(kept + '{"judge": "')  # a process that was killed while it wrote
    with ScriptedLLM(script) as server:
        first = server.base_url
        judge = MetricJudge(LLM(base_url=first, retries=0), (FAITHFUL,))
        assert measure_cases(CASES, judge, file).values[1][FAITHFUL].value == 0
    with ScriptedLLM(script) as server:
        assert measure_cases(CASES, judge, file).values[0][FAITHFUL] == MetricValue(1.0)
        assert server.requests == []
    file.write_text("no JSON\n" + kept)
    with fails("kept_lines.bad_line", InputError, file=file, line=1):
        measure_cases(CASES, judge, file)


@pytest.mark.whole
def test_the_plan_counts_the_calls_that_are_made(tmp_path: Path) -> None:
    file = tmp_path / "values.jsonl"
    cases = [SystemCase("", str(i), Case(f"Q{i}?", ("e one", "e two"), "a", ("r. It is.",))) for i in range(3)]

    def writes(request: Request) -> str:
        """Write as much as the plan takes a model to write."""
        data = json.loads(request.body["messages"][-1]["content"])
        if "text" in data:
            key = request.body["response_format"]["json_schema"]["schema"]["required"][0]
            return json.dumps({key: [f"s{i}" for i in range(4)]})
        texts = data.get("statements") or data.get("evidence")
        return json.dumps({"verdicts": [{"number": int(i), "verdict": "no"} for i in texts]})

    metrics = tuple(metric for metric in Metric if metric not in (Metric.ANSWER_RELEVANCY, Metric.ANSWER_CORRECTNESS))
    with ScriptedLLM(writes) as server:
        judge = MetricJudge(LLM(base_url=server.base_url, retries=0, max_tokens=1000), metrics)
        plan = plan_metrics(cases, judge, file)
        assert server.requests == []
        assert not file.exists()
        measure_cases(cases[:2], judge, file)
        assert plan.calls * 2 == len(server.requests) * 3
        assert plan.kept == 0
        left = plan_metrics(cases, judge, file)
        assert (left.calls, left.kept) == (plan.calls // 3, 2)
        assert left.tokens_in * 3 == plan.tokens_in
        assert left.cost == pytest.approx((left.tokens_in * 0.4 + left.tokens_out * 1.6) / 1e6)  # gpt-4.1-mini
    unknown = MetricJudge(LLM("unknown", base_url="http://example.com/v1"), metrics)
    assert plan_metrics(cases, unknown, file).cost is None


def test_an_embedder_that_fails_does_so_before_anything_is_paid_for(tmp_path: Path) -> None:
    with ScriptedLLM(script) as server:
        judge = MetricJudge(LLM(base_url=server.base_url), (Metric.ANSWER_RELEVANCY,), Broken())
        with pytest.raises(ModelError, match="not installed"):
            measure_cases(CASES, judge, tmp_path / "values.jsonl")
        assert server.requests == []


def test_cases_come_from_lines_in_our_names_or_those_of_ragas(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    lines = [
        {"question": "Who?", "evidence": ["e1", "e2"], "answer": "Ada", "reference": "Alm", "id": 7, "system": "s"},
        {"user_input": "Who?", "retrieved_contexts": ["e1"], "response": "Ada", "reference": ["Alm", "Bo"], "x": 1},
        {"question": "Why?"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    whole = tmp_path / "cases.json"
    whole.write_text(json.dumps(lines, indent=1))
    assert cases_in(file) == cases_in(whole)
    assert cases_in(file) == [
        SystemCase("s", "7", Case("Who?", ("e1", "e2"), "Ada", ("Alm",))),
        SystemCase("", "Who?", Case("Who?", ("e1",), "Ada", ("Alm", "Bo"))),
        SystemCase("", "Why?", Case("Why?")),
    ]


@pytest.mark.parametrize(
    ("content", "code", "values"),
    [
        ("\n", "metric_cases.empty", {}),
        ("{", "questions.not_json", {"line": 1}),
        ("[1]", "questions.value_not_an_object", {"line": 1}),
        ('{"answer": "Ada"}', "metric_cases.no_question", {"line": 1}),
        ('{"question": "Who?", "evidence": {"a": 1}}', "metric_cases.not_texts", {"line": 1, "field": "evidence"}),
    ],
)
def test_faults_of_a_file_name_the_line(tmp_path: Path, content: str, code: str, values: dict[str, object]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(content)
    with fails(code, InputError, file=file, **values):
        cases_in(file)


def test_the_cases_of_a_study_have_the_gold_answers_without_aliases(tmp_path: Path) -> None:
    questions = [Question("1", "What is the capital of Kenya?", ("Kenya",), ("Nairobi",), dataset="mine")]
    out = tmp_path / "runs.sqlite"
    evaluate(tiny_graph(), questions, "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()", out=out).close()
    ((system, name, case),) = cases_in(out)
    assert system == "pipeline 1"
    assert name == "mine/1"
    assert case.question == "What is the capital of Kenya?"
    assert case.gold == ("Nairobi",)
    assert "Nairobi" in case.answer.splitlines()
    assert any("capital" in text for text in case.evidence)
