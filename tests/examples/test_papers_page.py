"""The page about the papers: every test, recipe, brick, option, command, tool and link that its tables name exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from pages import ROOT

from graphbrick import recipe
from graphbrick.bricks.agents.toolbox import all_tools
from graphbrick.pipeline.parsing import parse_brick
from graphbrick.study.runs.scoring import METRICS

PAGE = ROOT / "docs/papers.md"
HEAD = ["point", "here", "tried by", "differs"]
SHIPPED = ROOT / "src/graphbrick/study/experiments/shipped"
CODE = re.compile(r"`([^`]+)`")
RECIPES = re.compile(r"\b[Rr]ecipes? ([A-Z0-9][A-Z0-9-]*)(?:(?: and | to |, )([A-Z0-9][A-Z0-9-]+))?")


def rows_of(text: str) -> Iterator[list[str]]:
    """Yield the cells of the rows of all tables whose head is that of points."""
    inside = False
    for line, following in pairwise([*text.splitlines(), ""]):
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if following.startswith("|---"):
            inside = cells == HEAD
        elif inside and not line.startswith("|---"):
            yield cells


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


ROWS = list(rows_of(PAGE.read_text(encoding="utf-8")))
NAMED = [(row[0], row[1] + " " + row[3]) for row in ROWS if len(row) == len(HEAD)]


def test_the_tables_are_whole() -> None:
    assert len(ROWS) > 200
    assert [row for row in ROWS if len(row) != len(HEAD) or not all(row[:3])] == []


def test_every_point_names_tests_that_exist_or_a_command_or_says_why_there_is_none() -> None:
    files = [path.stem for path in (ROOT / "tests").rglob("test_*.py")]
    wrong = []
    for row in ROWS:
        named = CODE.findall(row[2])
        tests = [name for name in named if name.startswith("test_")]
        commands = [name for name in named if name.startswith(("graphbrick ", "python "))]
        if (
            [name for name in tests if files.count(name) != 1]
            or len(tests) + len(commands) != len(named)
            or (not named and not (row[2] == "-" and row[3] + row[1]))
        ):
            wrong.append(row)
    assert wrong == []


def test_every_recipe_exists() -> None:
    names = {name for _, text in NAMED for found in RECIPES.findall(text) for name in found if name}
    assert len(names) > 60
    assert [name for name in sorted(names) if recipe(name).name != name] == []


def test_every_brick_can_be_made() -> None:
    texts = [text for _, cell in NAMED for text in CODE.findall(cell) if re.match(r"[A-Z]\w*\(.*\)$", text)]
    assert len(texts) > 80
    for text in texts:
        assert parse_brick(text) is not None


def test_every_command_option_and_tool_exists() -> None:
    reference = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    commands = set(re.findall(r"^#+ (graphbrick.*)$", reference, re.MULTILINE))
    tools, wrong = all_tools(), []
    for point, cell in NAMED:
        for text in CODE.findall(cell):
            words = text.split()
            names = {" ".join(words[:2]), " ".join(words[:3])}
            if words[0] == "graphbrick" and not names & commands:
                wrong.append((point, text))
            if words[0].startswith("--") and not re.search(rf"^  {words[0]}\b", reference, re.MULTILINE):
                wrong.append((point, text))
        for name in re.findall(r"\btools? `(\w+)`", cell):
            if name not in tools:
                wrong.append((point, name))
    assert wrong == []


def test_every_experiment_file_and_benchmark_exists() -> None:
    text = " ".join(cell for _, cell in NAMED)
    assert {name for name in re.findall(r"[\w-]+\.toml", text) if not (SHIPPED / name).exists()} == set()
    assert {name for name in re.findall(r"benchmarks/\w+\.py", text) if not (ROOT / name).exists()} == set()


def test_every_measure_is_one_of_another_page() -> None:
    others = " ".join(page.read_text(encoding="utf-8") for page in ROOT.glob("docs/*.md") if page != PAGE)
    names = {name for _, cell in NAMED for name in CODE.findall(cell) if re.fullmatch(r"[a-z]\w*(_\w+)+", name)}
    assert len(names) > 10
    known = {*METRICS, *(f"ms_{kind}" for kind in ("link", "extract", "prune", "retrieve", "rerank", "generate"))}
    assert [name for name in sorted(names - known) if not re.search(rf"\b{name}\b", others)] == []


@pytest.mark.parametrize("name", ["papers", "reproduce"])
def test_every_link_leads_somewhere(name: str) -> None:
    page = ROOT / f"docs/{name}.md"
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target
