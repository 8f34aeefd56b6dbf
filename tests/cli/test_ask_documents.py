"""`graphbrick ask` over documents: the quotation in its passage, and what is said when there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

import graphbrick
from graphbrick import index
from graphbrick.language.forms import is_installed
from graphbrick.pipeline.parsing import parse
from graphbrick.pipeline.run_json import run_json
from graphbrick.serve.conversation.answer_text import answers_line, says_nothing

PIPELINE = "Passages() >> Quote(BM25(), n=2, min_confidence=0.5)"
TEXT = "# Ships\nThe ship Nordlys carries 300 passengers. It runs from Bergen to Voss.\n"
QUESTION = "How many passengers does the ship Nordlys carry?"


@pytest.fixture(scope="module")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ships")
    (folder / "ferry.md").write_text(TEXT, encoding="utf-8")
    index([folder / "ferry.md"], folder / "ships.graph")
    return folder / "ships.graph"


def test_the_first_quotation_is_shown_in_its_passage(run: Run, ships: Path) -> None:
    lines = run("ask", str(ships), QUESTION, "-p", PIPELINE).out.splitlines()
    assert lines[0] == "The ship Nordlys carries 300 passengers. It runs from Bergen to Voss."
    assert lines[1].endswith(f"ferry.md, Ships (characters 0-{len(TEXT) - 1})")
    assert lines[2] == "  «The ship Nordlys carries 300 passengers.» It runs from Bergen to Voss."
    facts = json.loads(run("ask", str(ships), QUESTION, "-p", PIPELINE, "--json").out)
    first = facts["answers"][0]
    start, end = first["mark"]
    sentence = facts["support"][first["support"][0]]["text"][start:end]
    assert sentence == "The ship Nordlys carries 300 passengers."
    assert first["text"].startswith(sentence)


def test_what_is_not_in_the_documents_is_refused_with_what_comes_nearest(run: Run, ships: Path) -> None:
    wine = "Which wine is served in the restaurant of the ship?"
    refused = run("ask", str(ships), wine, "-p", PIPELINE)
    assert refused.code == 2
    assert refused.out.startswith("no answer found\nnot in these documents")
    assert "what comes nearest: The ship Nordlys carries 300 passengers." in refused.out
    assert f"ferry.md, Ships (characters 0-{len(TEXT) - 1})" in refused.out
    assert run("ask", str(ships), wine, "-p", PIPELINE, "--min-confidence", "0").code == 0


@pytest.mark.skipif(not is_installed(), reason="lemminflect is not installed")
def test_a_typing_error_is_told(run: Run, ships: Path) -> None:
    asked = run("ask", str(ships), "How many pasengers does the ship Nordlys carry?", "-p", PIPELINE)
    assert asked.out.startswith("The ship Nordlys carries 300 passengers.")
    assert "note: read 'pasengers' as 'passengers': no document has 'pasengers'" in asked.out + asked.err


def test_thanks_get_a_plain_line(run: Run, ships: Path) -> None:
    thanked = run("ask", str(ships), "Thanks!", "-p", PIPELINE)
    first, offer, *questions = thanked.out.splitlines()
    assert (thanked.code, first) == (2, "You are welcome! Ask me more: I answer questions from 1 document.")
    assert (offer, len(questions)) == ("you can ask, for example:", 3)


def test_messages_have_a_line_for_each_quotation(ships: Path) -> None:
    graph, pipeline = graphbrick.open(ships), parse(PIPELINE)
    answered = run_json(pipeline.run(graph, QUESTION), pipeline)
    assert answers_line(answered) == "The ship Nordlys carries 300 passengers. It runs from Bergen to Voss. [1]"
    alone = parse(PIPELINE.replace("min", "around=0, min"))
    answered = run_json(alone.run(graph, QUESTION), alone)
    assert answers_line(answered) == "The ship Nordlys carries 300 passengers. [1]\nIt runs from Bergen to Voss. [1]"
    refused = answers_line(run_json(pipeline.run(graph, "Which wine is served in the restaurant?"), pipeline))
    assert refused.startswith("No answer: not in these documents")
    assert says_nothing(refused)
    thanked = answers_line(run_json(pipeline.run(graph, "Thanks!"), pipeline))
    assert thanked == "That is not a question; ask what you want to know from the documents."
