from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_study import Madeup, write_study

from graphbrick.study.report.browser import spread
from graphbrick.study.report.markup import data_block, environment, visible
from graphbrick.study.report.writing import write_report
from graphbrick.study.store.reader import Study

HOSTILE = [
    "<script>hacked = 1</script>",
    "</script><script>hacked = 1</script>",
    "<!--<script>",
    '" onmouseover="hacked = 1',
    "' onfocus='hacked = 1",
    "\x00\x1b[31mred\x07",
    "\u202egnp.exe\u2066",
    "عَرَبِيّ עברית",
    "javascript:hacked",
    "$title ${data} \\ | `code` **bold** [a](b)",
    "line\u2028line\u2029line\r\nline",
    "\ufeff\u200b",
    "]]>&amp;&#x3c;",
]


class Page(HTMLParser):
    """What a browser makes of a page, as far as these tests ask."""

    VOID = frozenset({"meta", "br", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
        elif self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def data(self) -> dict[str, object]:
        return {str(given["id"]): json.loads(text) for given, text in self.scripts if "id" in given}


def report(study: Path, tmp_path: Path, **options) -> Page:
    out = tmp_path / "out.html"
    write_report(study, html=out, **options)
    return Page(out.read_text(encoding="utf-8"))


def check(page: Page) -> None:
    """What holds of every page: nothing from outside, one script of its own, no handlers, no id twice."""
    names = {name for _, name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert "src" not in names
    links = [value for _, name, value in page.attributes if name in ("href", "action", "xlink:href")]
    assert all(value is not None and value.startswith("#") for value in links)
    assert {value[1:] for value in links if value} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    code = [text for given, text in page.scripts if given.get("type") != "application/json"]
    assert len(code) == 1
    digest = base64.b64encode(hashlib.sha256(code[0].encode()).digest()).decode()
    policy = next(
        value for tag, name, value in page.attributes if tag == "meta" and name == "content" and "default" in value
    )
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_a_page_has_all_its_parts(small, tmp_path):
    page = report(small, tmp_path)
    check(page)
    for title in ("Pipelines", "Comparison", "Quality against cost", "Hits@1 against time", "Hits@1 against tokens",
                  "Subgraph size", "Time by stage", "Results by hops", "Results by data set",
                  "Where questions are lost", "Questions", "How it was run"):  # fmt: skip
        assert title in page.text
    assert "recipe 13 has the highest Hits@1: " in page.text
    assert "60 questions" in page.text
    assert "some processor" in page.text
    assert "numpy 2.1.0" in page.text


@pytest.mark.whole
def test_hostile_texts_are_shown_and_never_run(tmp_path):
    path = write_study(
        tmp_path / "runs.sqlite",
        [Madeup(f"recipe {text}", recipe=text) for text in HOSTILE if "\x00" not in text],
        len(HOSTILE),
        label=lambda i: HOSTILE[i % len(HOSTILE)],
        datasets=HOSTILE[:6],
    )
    files = {kind: tmp_path / f"out.{kind}" for kind in ("html", "markdown", "csv")}
    write_report(path, title="<script>hacked</script>", **files)
    page = Page(files["html"].read_text(encoding="utf-8"))
    check(page)
    assert "<script>hacked</script>" in page.text
    whole = files["html"].read_text(encoding="utf-8")
    assert not set(whole) & set("\x00\x1b\x07\u202e\u2066\u2028\u2029\ufeff\u200b")
    details = page.data["data-details-0"]
    assert any("<script>hacked = 1</script>" in text for text in details["texts"])
    assert any("עברית" in text for text in details["texts"])
    assert any(r"\u202egnp.exe" in text for text in details["texts"])
    markdown = files["markdown"].read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<script", re.sub(r"`[^`]*`", "", markdown.replace("\\`", "")))
    assert not set(markdown) & set("\x00\x1b\x07\u202e\u2066")


@given(st.text())
def test_any_text_is_one_text_of_the_page(text):
    template = '{% import "parts.html" as parts %}<p title="{{ text }}">{{ parts.label(text) }}</p>'
    page = Page(environment().from_string(template).render(text=text))
    assert "".join(page.texts) == visible(text)
    assert [value for _, name, value in page.attributes if name == "title"] == [visible(text)]
    data_block("x", text).encode()  # can be written to a file
    block = Page(data_block("x", text))
    assert block.data == {"x": text}


def test_what_is_shown_can_be_seen():
    assert visible("a\u202eb\x00\x85\u2066\ud800") == r"a\u202eb\x00\x85\u2066\ud800"
    joined = "\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f680 \tx\ny"
    assert visible(joined) == joined


def test_a_study_without_runs(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [], 0)
    page = report(path, tmp_path)
    check(page)
    assert "The study has no runs yet" in page.text
    assert "Questions" not in page.text


def test_runs_without_results(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("recipe 1", done=0), Madeup("recipe 2", done=0)], 5)
    page = report(path, tmp_path)
    check(page)
    assert "No question has been scored yet." in page.text
    assert "2 of 2 pipelines are not done with all their questions" in page.text
    assert "5 questions are left" in page.text
    assert "Comparison" not in page.text


def test_one_pipeline_and_one_question(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("recipe 1", right=1.0)], 1)
    page = report(path, tmp_path)
    check(page)
    assert "highest" not in page.text
    assert "recipe 1 has Hits@1 100 % of 1 question (" in page.text
    assert "Comparison" not in page.text
    assert "Results by hops" not in page.text


def test_all_failed(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("recipe 1", failed=1.0), Madeup("recipe 2", failed=1.0)], 8)
    page = report(path, tmp_path)
    check(page)
    assert "16 results ended in an error" in page.text
    assert "8 ended in an error" in page.text
    assert "recipe 1 and recipe 2 have the highest Hits@1: 0 % of 8 questions" in page.text


def test_no_tokens_at_all(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("recipe 1"), Madeup("recipe 2")], 8)
    page = report(path, tmp_path)
    assert "no tokens were used" in page.text
    assert "cost" not in re.findall(r"[\w$]+", page.text.split("Quality against cost")[1].split("Subgraph size")[0])
    assert "tokens a question" not in page.text


def test_pipelines_on_two_graphs_are_not_compared_with_each_other(tmp_path):
    graphs = ["a" * 16, "a" * 16, "b" * 16]
    pipelines = [Madeup(f"recipe {i}", graph=graph, right=0.3 * i + 0.1) for i, graph in enumerate(graphs)]
    path = write_study(tmp_path / "runs.sqlite", pipelines, 20)
    page = report(path, tmp_path)
    check(page)
    assert "ran on 2 graphs" in page.text
    assert "Pairs of pipelines" in page.text
    assert "correction for 1 comparison." in page.text


def test_unfinished_runs_are_compared_on_what_both_are_done_with(tmp_path):
    pipelines = [Madeup("recipe 1"), Madeup("recipe 2", done=0.25), Madeup("recipe 3", done=0)]
    path = write_study(tmp_path / "runs.sqlite", pipelines, 40)
    out = tmp_path / "out.md"
    write_report(path, markdown=out)
    rows = [line.split("|") for line in out.read_text().split("Comparison")[1].splitlines() if "recipe" in line]
    assert [row[7].strip() for row in rows] == ["10"]


@pytest.mark.whole
def test_details_are_there_for_as_many_questions_as_asked_evenly_spread(small, tmp_path):
    page = report(small, tmp_path, details=5)
    assert "Answers and paths of 5 of 60 questions" in page.text
    assert "the other 55" in page.text
    questions, scores = page.data["data-questions"], page.data["data-scores"]
    assert questions["detailed"] == [0, 12, 24, 36, 48]
    assert len(questions["text"]) == len(scores["runs"][0]["hits"]) == 60
    assert [name for name in page.data if name.startswith("data-details")] == ["data-details-0"]
    assert "Answers and paths of" not in report(small, tmp_path, details=None).text
    assert not [name for name in report(small, tmp_path, details=0).data if name.startswith("data-details")]


@given(st.integers(0, 200), st.integers(0, 300))
def test_spread(total, wanted):
    places = spread(total, wanted)
    assert len(places) == min(total, wanted)
    assert places == sorted(set(places))
    assert all(0 <= place < total for place in places)
    gaps = {b - a for a, b in pairwise(places)}
    assert len(gaps) <= 2
    assert max(gaps, default=0) - min(gaps, default=0) <= 1


@pytest.mark.whole
def test_the_data_of_the_page_are_those_of_the_study(small, tmp_path):
    page = report(small, tmp_path, details=None)
    scores = page.data["data-scores"]
    with Study.open(small) as study:
        runs, questions = {run.name: run for run in study.runs()}, study.questions()
        for at, run in enumerate(scores["runs"]):
            results = study.results(runs[run["name"]].id)
            assert run["hits"] == "".join(str(int(result.metrics["hits_at_1"])) for result in results)
            assert run["f1"] == [round(100 * result.metrics["f1"]) for result in results]
            stages = [scores["stages"][ord(letter) - ord("a")] for letter in run["lost"]]
            assert stages == [result.lost_at.replace("none", "not lost") for result in results]
            for detail, question in zip(study.details(runs[run["name"]].id), questions, strict=True):
                place = questions.index(question)
                block = page.data[f"data-details-{place // 20}"]
                row, texts = block["rows"][place % 20], block["texts"]
                assert [texts[path[0]] for path in row["runs"][str(at)]["paths"]] == [p.text for p in detail.paths]
                assert [texts[answer[0]] for answer in row["runs"][str(at)]["answers"]] == [
                    answer.text for answer in detail.answers
                ]
                assert [texts[names[0]] for names, _ in row["gold"]] == [gold.names[0] for gold in question.gold]


@pytest.mark.whole
def test_the_same_study_gives_the_same_page(small, tmp_path):
    def page(name: str) -> str:
        write_report(small, html=tmp_path / name)
        return re.sub(r"on \d{4}-\d\d-\d\d \d\d:\d\d UTC", "", (tmp_path / name).read_text())

    assert page("a.html") == page("b.html")


@pytest.mark.whole
@pytest.mark.parametrize("metric", ["f1", "path_f1", "subgraph_recall"])
def test_another_metric_decides(small, tmp_path, metric):
    page = report(small, tmp_path, metric=metric)
    check(page)
    assert f"has the highest {metric.replace('_', ' ').replace('f1', 'F1')}" in page.text
