"""The pages for people who learn graphbrick: every example runs, and sentences are short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guides import WIDTH, blocks, check_page, matches, unknown_names
from page_files import FILES

import graphbrick
from check_links import ROOT, broken_links, broken_pages, markdown_files
from sentences import mean_sentence_length, prose

PAGES = [
    "README.md",
    "docs/index.md",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for folder in ("tutorials", "how-to", "explanation")
        for path in (ROOT / "docs" / folder).glob("*.md")
    ),
]
OTHERS = ("bricks.md", "cli.md", "published.md", "recipes.md", "properties.md", "tables.md")  # generated; `test_pages`
REFERENCE = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "docs").glob("*.md")
    if path.name not in ("index.md", *OTHERS) and "```" in path.read_text(encoding="utf-8")
)
LONGEST = 25  # words in a sentence, on average over a page


@pytest.mark.whole
@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_a_page_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", WIDTH)
    monkeypatch.setattr("graphbrick.cli.progress.LINE_SECONDS", 3_600.0)
    check_page((ROOT / name).read_text(encoding="utf-8"), name)


@pytest.mark.whole
@pytest.mark.parametrize("name", REFERENCE)
def test_the_examples_of_the_reference_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", WIDTH)
    monkeypatch.setattr("graphbrick.cli.progress.LINE_SECONDS", 3_600.0)
    FILES.get(name, lambda: None)()
    check_page((ROOT / name).read_text(encoding="utf-8"), name, commands_alone=True)


@pytest.mark.parametrize("name", [*PAGES, *REFERENCE])
def test_what_is_not_run_says_why(name: str) -> None:
    """`CONTRIBUTING.md` has a table of the reasons, and of what tries the same code."""
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| an example is not run, as |")[1]
    reasons = re.findall(r"^\| (.*?) \|", table.split("\n\n")[0], re.MULTILINE)
    text = (ROOT / name).read_text(encoding="utf-8")
    assert {block.why for block in blocks(text) if block.why is not None} <= set(reasons)


@pytest.mark.parametrize("name", PAGES)
def test_the_sentences_of_a_page_are_short(name: str) -> None:
    assert mean_sentence_length((ROOT / name).read_text(encoding="utf-8")) <= LONGEST


@pytest.mark.whole
def test_every_link_of_the_repository_leads_somewhere() -> None:
    assert [fault for path in markdown_files(ROOT) for fault in broken_links(path, ROOT)] == []


def test_every_public_name_is_on_one_page_of_the_reference() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs/reference").glob("*.md")]
    names = re.findall(r"^::: graphbrick\.[\w.]+\.(\w+)$", "\n".join(pages), re.MULTILINE)
    assert sorted(names) == sorted({*graphbrick.__all__, "open"} - {"__version__"})


def test_sentences_are_counted_without_code_tables_and_headings() -> None:
    page = "# A heading\n\nOne two three. Four `code here`, [a link](x.md)!\n\n- A point of six words here\n\n"
    page += "```console\n$ graphbrick ask a.graph question\n```\n\n| a | b |\n|---|---|\n| c d e f | g |\n"
    assert prose(page) == ["One two three.", "Four x, a link!", "A point of six words here"]
    assert mean_sentence_length(page) == pytest.approx((3 + 4 + 6) / 3)


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n...\nc\n", "a\nb\nb\nc\n", True),
        ("in ... s\n", "in 12 s\n", True),
        ("a\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_an_output_is_compared_line_by_line(expected: str, printed: str, same: bool) -> None:
    assert matches(expected, printed) == same


def test_commands_that_are_not_run_are_checked() -> None:
    assert unknown_names("graphbrick ask g.graph 'who?' --llm gpt --budget usd=1") == []
    assert unknown_names("A=1 graphbrick judge runs.sqlite --judge gpt") == []
    assert unknown_names("graphbrick ask g.graph --lim 3") == ["--lim"]
    assert unknown_names("graphbrick asks g.graph") == ["graphbrick asks g.graph"]
    assert unknown_names("curl --anything") == []


def test_faults_of_a_built_site_are_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text('<a href="a/">x</a><a href="a/#no">y</a><a href="b/">z</a><img src="i.png">')
    (tmp_path / "a/index.html").write_text(
        '<h1 id="yes">A</h1><a href="../#">home</a><script src="https://x.org/s.js">'
    )
    assert list(broken_pages(tmp_path)) == [
        "a/index.html: loads https://x.org/s.js from another host",
        "index.html: loads i.png, which is not there",
        "index.html: a/#no: nothing has this anchor",
        "index.html: b/ is not there",
    ]
