"""Answers marked right or wrong, and what is learned from them."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from faults import fails
from organisation import TRIPLES

from graphbrick import Graph, build, parse
from graphbrick.cli.app import main
from graphbrick.core.errors import InputError, LinkError
from graphbrick.learn.feedback import Feedback, add_feedback, feedback_place, feedback_questions, read_feedback
from graphbrick.learn.learning import learn

PIPELINE = "Patterns(BM25(), max_hops=1) >> PathAnswer()"


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return build(TRIPLES, tmp_path / "org.graph")


def mark(graph: Graph, question: str, *, right: bool, correct: tuple[str, ...] = ()) -> Feedback:
    pipeline = parse(PIPELINE)
    return add_feedback(pipeline.run(graph, question), pipeline, right=right, correct=correct)


def test_the_last_verdict_counts_and_only_right_answers_are_questions(graph: Graph) -> None:
    assert read_feedback(graph) == []
    first = mark(graph, "Who leads Finance?", right=False)
    assert first.gold == ()
    assert first.pipeline == repr(parse(PIPELINE))
    second = mark(graph, "Who leads Finance?", right=True)
    assert second.gold == second.answers == ("Fiona Reed",)
    corrected = mark(graph, "Who leads Engineering?", right=False, correct=("Ada Marsh", "Ben Okoro"))
    wrong = mark(graph, "Who works in Team 1?", right=False)
    assert read_feedback(graph) == [second, corrected, wrong]
    assert [(one.seeds, one.answers) for one in feedback_questions(read_feedback(graph))] == [
        (("Finance",), ("Fiona Reed",)),
        (("Engineering",), ("Ada Marsh", "Ben Okoro")),
    ]


def test_nothing_is_learned_from_computed_answers(graph: Graph) -> None:
    pipeline = parse("Operators(Patterns(BM25(), max_hops=1)) >> PathAnswer()")
    count = "How many services does Team 1 own?"
    first = add_feedback(pipeline.run(graph, count), pipeline, right=True)
    assert (first.answers, first.gold, first.plan) == ((), (), "count of: Team 1 → owns → *")
    wrong = add_feedback(pipeline.run(graph, count), pipeline, right=False, correct=("Service 1a",))
    assert (wrong.correct, wrong.gold) == (("Service 1a",), ())
    assert read_feedback(graph) == [wrong]
    assert feedback_questions(read_feedback(graph)) == []


def test_lines_of_earlier_versions_have_no_plan(graph: Graph) -> None:
    mark(graph, "Who leads Finance?", right=True)
    place = feedback_place(graph)
    place.write_text(place.read_text(encoding="utf-8").replace(', "plan": ""', ""), encoding="utf-8")
    assert [one.gold for one in read_feedback(graph)] == [("Fiona Reed",)]


def test_what_cannot_be_marked(graph: Graph) -> None:
    with pytest.raises(LinkError, match="Nobody"):
        mark(graph, "Who leads Finance?", right=False, correct=("Nobody",))
    with fails("feedback.not_a_list", InputError):
        mark(graph, "Who leads Finance?", right=False, correct="Fiona Reed")  # type: ignore[arg-type]
    nothing = parse("Patterns(BM25(), max_hops=1)")
    with fails("feedback.nothing_right", InputError):
        add_feedback(nothing.run(graph, "Who leads Finance?"), nothing, right=True)
    assert not feedback_place(graph).exists()


def test_damaged_lines_are_named_and_a_torn_one_stays_alone(graph: Graph) -> None:
    place = feedback_place(graph)
    place.write_text('{"question": "Who', encoding="utf-8")  # cut off in the middle
    mark(graph, "Who leads Finance?", right=True)
    with fails("feedback.bad_line", InputError, line=1):
        read_feedback(graph)
    lines = place.read_text(encoding="utf-8").splitlines()
    place.write_text("\n".join(["", lines[1], ""]), encoding="utf-8")
    assert [one.question for one in read_feedback(graph)] == ["Who leads Finance?"]
    for wrong in ({"right": 1}, {"seeds": [3]}, {"correct": "Finance"}, {"question": None}):
        place.write_text(json.dumps(json.loads(lines[1]) | wrong) + "\n", encoding="utf-8")
        with fails("feedback.bad_line", InputError, line=1):
            read_feedback(graph)


def write_many(place: Path, worker: int) -> None:
    graph = Graph.open(place)
    for number in range(5):
        mark(graph, f"Who leads Finance? {worker} {number}", right=False)


@pytest.mark.whole
def test_several_processes_write_whole_lines(graph: Graph) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(read_feedback, graph).result()  # it has started
        other = pool.submit(write_many, graph.place, 1)
        write_many(graph.place, 0)
        other.result()
    assert len({one.question for one in read_feedback(graph)}) == 10


def test_the_command_writes_and_learn_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = build(TRIPLES[:12], tmp_path / "org.graph")

    def feedback(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stopped:
            main(["feedback", str(graph.place), *arguments, "--pipeline", PIPELINE])
        return int(stopped.value.code or 0), capsys.readouterr().out

    code, said = feedback("Which team does Ben Okoro work in?", "--wrong", "--answer", "Team 2")
    assert code == 0
    assert "right answers: Team 2" in said.splitlines()
    code, said = feedback("Which team does Ada Marsh work in?", "--right", "--json")
    assert json.loads(said)["answers"] == ["Team 0"]
    assert feedback("Which team does Gus Lind work in?", "--wrong")[0] == 0
    assert feedback("Which team does Gus Lind work in?")[0] == 1  # neither right nor wrong
    report = learn(graph, n=0, max_hops=1)
    assert (report.given, report.feedback, report.feedback_without_answer) == (0, 2, 1)
    assert "2 questions with feedback were learned from, 1 not: rules computed the answers" in str(report)
