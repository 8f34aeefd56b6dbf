"""How values look: a short repr for each, HTML in notebooks that runs nothing, tables of pandas."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any
from xml.etree import ElementTree

import pytest
from faults import fails

from graphbrick import (
    BM25,
    PPR,
    Answer,
    Citation,
    Evidence,
    Graph,
    Passage,
    Path,
    PathAnswer,
    Query,
    Report,
    Rerank,
    ShortestPaths,
    Subgraph,
    Trace,
    build,
)
from graphbrick.core.showing.drawing import Drawn, path_svg
from graphbrick.core.showing.markup import escaped, table
from graphbrick.core.trace import Exchange, StageTrace, record
from graphbrick.pipeline.run import Run
from graphbrick.testing import tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
PIPELINE = PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()
HOSTILE = (
    "<script>alert(1)</script>",
    "</svg><img src=x onerror=alert(1)>",
    '" onload="alert(1)',
    "' style='position:fixed",
    "</title></text><style>*{display:none}</style>",
    "\u202egnp.exe\u202c",
    "a\x00b\x1b[31m",
    "]]><!--",
    "javascript:alert(1)&#60;b&#62;",
)


@pytest.fixture(scope="module")
def run() -> Run:
    return PIPELINE.run(tiny_graph(), QUESTION)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """A graph whose every label tries to leave the place where it is drawn."""
    triples = [(name, f"rel{name}", other) for name, other in pairwise(HOSTILE)]
    return build(triples, tmp_path_factory.mktemp("hostile") / "<b>bad</b>.graph")


class Elements(HTMLParser):
    """The elements and attributes of a piece of HTML, as a browser reads them; all that is opened must be closed."""

    ALONE = frozenset({"rect", "path"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


# One line


def test_reprs_say_what_a_value_is(run: Run) -> None:
    assert repr(run.graph) == "Graph('tiny.graph', entities=8, relations=4, triples=10)"
    assert repr(run.answer) == "Answer('Kenyan shilling', items=1)"
    assert repr(run.evidence) == (
        "Evidence(items=14, first='Nairobi <- capital <- Kenya -> currency -> Kenyan shilling')"
    )
    assert re.fullmatch(r"Trace\(stages=5, seconds=[\d.e-]+, calls=0\)", repr(run.trace))
    assert re.fullmatch(
        r"StageTrace\('PPR\(k=1000\)', seconds=[\d.e-]+, nodes=8, triples=10\)", repr(run.trace.stages[1])
    )
    assert repr(run.subgraph) == "Subgraph(nodes=8, triples=10)"
    assert repr(Subgraph(run.graph)) == "Subgraph(the whole graph, nodes=8, triples=10)"
    assert repr(run.query) == f"Query({QUESTION!r}, seeds=(2,))"
    assert repr(run).endswith("..., answer=Answer('Kenyan shilling', items=1))")
    assert repr(PPR().run(tiny_graph(), QUESTION)).endswith("subgraph=Subgraph(nodes=8, triples=10))")
    assert repr(PIPELINE) == "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()"


def test_reprs_of_empty_and_odd_values() -> None:
    assert repr(Answer()) == "Answer(no answer, items=0)"
    assert repr(Answer(withheld="A -> b -> *", confidence=0.1)) == (
        "Answer(no answer, items=0, confidence=0.1, withheld='A -> b -> *')"
    )
    assert repr(Answer(("a", "b", "c", "d"), from_model=True)) == (
        "Answer('a', 'b', 'c', ... 4 in all, items=0, from_model=True)"
    )
    assert (repr(Evidence()), repr(Trace())) == ("Evidence(items=0)", "Trace(stages=0, seconds=0, calls=0)")
    assert repr(Query("Why?", tuple(range(9)))) == "Query('Why?', seeds=(0, 1, 2, 3, 4, ...))"


def long_values() -> list[Any]:
    words, graph = "many words " * 5_000, tiny_graph()
    passage = Passage(words, (Citation(words),), (1,), graph)
    evidence = Evidence((passage,) * 500)
    answer = Answer((words,) * 500, (None,) * 500, evidence, ((0,),) * 500, withheld=words)
    stage = StageTrace(words, "rerank", counts_out={words: 1})
    query = Query(words, tuple(range(10_000)))
    run = Run(graph, query, evidence=evidence, answer=answer, trace=Trace([stage] * 50))
    messages = [{"role": "user", "content": words}]
    return [passage, evidence, answer, stage, query, run, run.trace, Report(graph, (1,) * 900, words),
            Exchange(words, messages, words), Subgraph(graph)]  # fmt: skip


@pytest.mark.parametrize("value", long_values(), ids=lambda value: type(value).__name__)
def test_no_repr_is_long(value: Any) -> None:
    line = repr(value)
    assert len(line) <= 200
    assert line.startswith(f"{type(value).__name__}(")
    assert line.endswith(")")
    assert " object at 0x" not in line


# Notebooks


def test_an_answer_is_drawn_with_its_path(run: Run) -> None:
    assert run.answer is not None
    page = run.answer._repr_html_()
    seen = Elements(page)
    assert seen.names == {
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "b",
        "svg",
        "g",
        "title",
        "rect",
        "path",
        "text",
    }
    assert ("aria-label", "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling") in seen.attributes
    for word in ("Nairobi", "capital", "Kenya", "currency", "Kenyan shilling"):
        assert word in seen.words


def test_a_path_is_one_drawing_with_a_box_for_each_entity(run: Run) -> None:
    assert run.evidence is not None
    path = run.evidence.items[0]
    assert isinstance(path, Path)
    drawing = ElementTree.fromstring(path._repr_html_())
    boxes = [(float(box.get("x", "")), float(box.get("width", ""))) for box in drawing.iter("rect")]
    lines = [line.get("d", "") for line in drawing.iter("path")]
    assert (len(boxes), len(lines)) == (3, 2)
    ends = [x + width for x, width in boxes]
    assert all(end < x for end, (x, _) in zip(ends, boxes[1:], strict=False))  # in a row, without overlap
    assert ends[-1] <= float(drawing.get("width", ""))
    # An arrow lies between its boxes, and its tip is where the triple points: to the first box, then to the last.
    for line, left, right in zip(lines, ends, [x for x, _ in boxes[1:]], strict=False):
        start, end, _, tip = map(float, re.findall(r"M([\d.]+) [\d.]+H([\d.]+)M([\d.]+) [\d.]+L([\d.]+)", line)[0])
        assert left < start < end < right
        assert tip == (start if left == ends[0] else end)


def test_long_labels_are_cut_in_the_drawing_and_whole_in_its_title() -> None:
    name = "The Democratic Republic of " + "very " * 30 + "far away"
    drawing = ElementTree.fromstring(path_svg(Drawn([name, "内罗毕"], ["capital"], [True])))
    words = [text.text or "" for text in drawing.iter("text")]
    assert words[0].endswith("…")
    assert len(words[0]) == 36
    assert next(drawing.iter("title")).text == name


def test_evidence_and_trace_are_tables(run: Run) -> None:
    assert run.evidence is not None
    page = run.evidence._repr_html_()
    assert page.count("<svg") == 10  # items that are shown
    assert "and 4 more items; .to_pandas() has all" in page
    trace = Elements(run.trace._repr_html_())
    for stage in ("LinkLabels()", "PPR(k=1000)", "ShortestPaths()", "Rerank(BM25(), n=32)", "PathAnswer()"):
        assert stage in trace.words
    assert "tokens in/out" not in trace.words


def test_a_trace_shows_events_calls_and_stages_within_stages() -> None:
    trace = Trace()
    with record(trace, "Repeat(...)", "repeat") as entry:
        entry.events.append("a cap was <reached>")
        entry.children.append(StageTrace("Inner()", "step", calls=2, tokens_in=1_500, tokens_out=7))
    seen = Elements(trace._repr_html_())
    assert "a cap was <reached>" in seen.words
    assert "Inner()" in seen.words
    assert ("style", "white-space:pre-wrap;margin-left:1em") in seen.attributes
    assert "1,500/7" in seen.words


def test_an_answer_without_answers_says_why() -> None:
    answer = PIPELINE(tiny_graph(), "Is Nairobi colder than Kenya?")
    assert "no answer" in Answer()._repr_html_()
    assert isinstance(answer._repr_html_(), str)
    page = Answer(withheld="A -> b", confidence=0.25)._repr_html_()
    assert "withheld: A -&gt; b" in page
    assert "confidence 0.25" in page


def test_passages_show_their_document() -> None:
    passage = Passage("Nairobi lies in Kenya.", (Citation("atlas.txt", 10, 32, section="Cities"),))
    assert Elements(passage._repr_html_()).words == ["Nairobi lies in Kenya.", "atlas.txt, Cities (characters 10-32)"]
    made_up = Answer(("yes",), (None,), Evidence((passage,)), ((),))
    assert "on no path of the evidence" in made_up._repr_html_()


def test_a_graph_shows_sizes_and_some_triples() -> None:
    seen = Elements(tiny_graph()._repr_html_())
    assert seen.words[:3] == ["tiny.graph", "holds", "entities"]
    assert ("aria-label", "Kenya -> currency -> Kenyan shilling") in seen.attributes


def test_a_pipeline_shows_what_each_stage_does() -> None:
    seen = Elements(PIPELINE._repr_html_())
    assert seen.words[0] == repr(PIPELINE)
    assert ["extract", "PPR(k=1000)", PPR.summary()] == seen.words[4:7]


def test_hostile_labels_stay_text(hostile: Graph) -> None:
    seeds = [HOSTILE[0]]
    run = (ShortestPaths(max_hops=4) >> PathAnswer()).run(
        hostile, "Where does <script>alert(1)</script> lead?", seeds=seeds
    )
    assert run.evidence is not None
    assert run.answer is not None
    for value in (hostile, run, run.answer, run.evidence, run.trace, *run.evidence.items):
        page = value._repr_html_()
        assert page is not None
        seen = Elements(page)
        assert not seen.names & {"script", "img", "style", "iframe", "a", "object", "foreignobject", "use", "image"}
        assert not [
            name for name, _ in seen.attributes if name.startswith("on") or name in ("href", "src", "xlink:href")
        ]
        assert {value for name, value in seen.attributes if name == "style"} <= {
            "overflow-x:auto;overflow-wrap:break-word",
            "text-align:left;vertical-align:middle;overflow-wrap:break-word",
            "opacity:0.7",
            "white-space:pre-wrap;margin-left:0em",
        }
        assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", page)
    assert any(HOSTILE[1] in name for _, name in Elements(run.evidence._repr_html_()).attributes)


def test_long_texts_and_bidirectional_marks_are_escaped() -> None:
    assert escaped("x" * 5_000) == "x" * 600 + "…"
    assert escaped("\u202eabc\u2069") == "\\u202eabc\\u2069"
    assert escaped("mi\u200ckh\u00e2ham\u00a0\U0001f600") == "mi\u200ckh\u00e2ham\u00a0\U0001f600"
    assert escaped("half \ud83d") == "half \\ud83d"
    assert re.sub(r"<[^>]*>", "|", table(["<i>"], [["&", None, 3]])) == "||||&lt;i&gt;||||||&amp;||||3||||"


def test_values_without_more_to_show_keep_their_repr(run: Run) -> None:
    assert run.query._repr_html_() is None
    assert Subgraph(run.graph)._repr_html_() is None


# pandas


def test_evidence_becomes_a_table(run: Run) -> None:
    pytest.importorskip("pandas")
    assert run.evidence is not None
    frame = run.evidence.to_pandas()
    assert list(frame.columns) == ["kind", "text", "score", "source", "entities", "documents"]
    assert len(frame) == len(run.evidence) == 14
    assert frame["text"][0] == "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
    assert frame["entities"][0] == ["Kenya", "Kenyan shilling"]
    assert frame["score"].is_monotonic_decreasing
    passages = Evidence((Passage("Nairobi lies in Kenya.", (Citation("atlas.txt"),)),))
    assert passages.to_pandas()["documents"][0] == ["atlas.txt"]
    assert list(Evidence().to_pandas().columns) == list(frame.columns)


def test_without_pandas_the_error_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert run.evidence is not None
    with fails("frames.no_pandas"):
        run.evidence.to_pandas()


@pytest.mark.whole
def test_values_are_shown_by_modules_that_a_question_does_not_load() -> None:
    script = (
        "import sys; from graphbrick import Graph, PathAnswer, ShortestPaths\n"
        "answer = (ShortestPaths() >> PathAnswer())(Graph.open(sys.argv[1]), 'What is the capital of Kenya?')\n"
        "print(any('showing' in name for name in sys.modules), 'pandas' in sys.modules)\n"
        "answer._repr_html_(); print('graphbrick.core.showing.html' in sys.modules)\n"
    )
    place = str(FilePath(tiny_graph().place))
    done = subprocess.run([sys.executable, "-c", script, place], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]
