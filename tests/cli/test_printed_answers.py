"""Answers in the terminal: lines of texts that a model wrote, and how many answers were computed."""

from __future__ import annotations

import json

import pytest

from graphbrick import build
from graphbrick.cli.printing.runs import print_answers
from graphbrick.cli.printing.terminal import console


def printed(
    capsys: pytest.CaptureFixture[str], answers: list[dict[str, object]], support: list[dict[str, object]]
) -> str:
    """What is printed for answers and their support."""
    facts = {"level": "answer", "answers": answers, "support": support, "readings": [], "from_model": False}
    print_answers(console(), facts)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Two points:\n\n- Alma Berg founded it [1]\n- It was in 1921 [1]", None),
        ("| name | year |\n| --- | --- |\n| Alma | 1921 |", None),
        ("First.\r\n\r\nSecond.", "First.\n\nSecond."),
        ("```\ndef f():\n\treturn 1\n```", "```\ndef f():\n    return 1\n```"),
        ("Evil\x1b[31m\nline\x07", "Evil\\x1b[31m\nline\\x07"),
    ],
)
def test_lines_of_a_written_answer_stay_lines(capsys, text, shown):
    out = printed(capsys, [{"text": text, "key": None, "support": [0]}], [{"text": "x", "kind": "passage"}])
    assert out.startswith((shown or text) + "\n")


def test_a_name_is_one_line(capsys):
    assert printed(capsys, [{"text": "a\nb", "key": "k", "support": []}], []).startswith("a\\nb\n")


def test_how_answers_were_computed_is_not_told_for_each(capsys):
    rows = [
        {
            "text": f"answer: {i}, plan: all",
            "columns": ["answer", "plan"],
            "values": [str(i), "all"],
            "entities": [str(i)],
        }
        for i in range(3)
    ]
    answers = [{"text": f"City {i}", "key": str(i), "support": [i]} for i in range(3)]
    assert printed(capsys, answers, rows) == "City 0\nCity 1\nCity 2\n"


def test_what_was_counted_is_shown_by_its_first_paths(run, tmp_path):
    owned = [("North", "owns", f"Plane {number}") for number in range(5)] + [("South", "owns", "Glider")]
    build([*owned, ("North", "type", "Airline"), ("South", "type", "Airline")], tmp_path / "g.graph")
    most = run("ask", tmp_path / "g.graph", "Who owns the most?").out.splitlines()
    assert most[:2] == ["North", "  North -> owns -> Plane 0"]
    assert most[4] == "  ... and 2 more paths"
    number = run("ask", tmp_path / "g.graph", "How many does South own?").out.splitlines()
    assert number[:2] == ["1", "  South -> owns -> Glider"]
    cited = json.loads(run("ask", tmp_path / "g.graph", "Who owns the most?", "--json").out)
    shown = [cited["support"][place]["text"] for place in cited["answers"][0]["support"]]
    assert {"North -> owns -> Plane 4", "North -> owns -> Plane 0"} <= set(shown)


def test_limit_sets_how_many_answers_are_shown(run, tmp_path):
    names = ["Ethiopia", "Somalia", "Tanzania", "Uganda"]
    build([("Kenya", "borders", name) for name in names], tmp_path / "g.graph")
    ask = ("ask", tmp_path / "g.graph", "What does Kenya border?", "--pipeline", "ShortestPaths() >> PathAnswer()")
    every = run(*ask)
    answers = every.out.splitlines()[::2]
    assert sorted(answers) == names
    two = run(*ask, "--limit", 2)
    assert two.out.splitlines() == [*every.out.splitlines()[:4], "... and 2 more answers (--limit 4 shows all)"]
    assert [answer["text"] for answer in json.loads(run(*ask, "-n", 1, "--json").out)["answers"]] == answers
