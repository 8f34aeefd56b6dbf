"""A server in this process and a real Chromium in front of it. Playwright is imported only where a test asks for it."""

from __future__ import annotations

import datetime
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

MARKUP = "<img src=x onerror=\"document.title='hacked'\"> & <b>bold</b>"
"""A label that a page must show as it is."""
ADDED = datetime.datetime(2020, 5, 31, 12, tzinfo=datetime.UTC)
KENYA = """# Kenya
Kenya is a country in East Africa. Its capital is Nairobi. The Kenyan shilling is the currency of Kenya.

## Borders
Kenya borders Uganda and Tanzania. Lake Victoria lies between Kenya, Uganda and Tanzania.
"""
UGANDA = """# Uganda
Uganda is a country in East Africa. Kampala is the capital of Uganda. The Ugandan shilling is its currency.

## Lakes
Lake Victoria is shared by Uganda, Kenya and Tanzania.
"""
GUIDE = """# Zebra guide

Zebras of **Tsavo** cost *nothing*. See [the park](https://example.com/park).

| Zebra | Park |
|---|---|
| Ada | Tsavo |

![a zebra](https://example.com/zebra.png)

<script>document.title = 'hacked'</script><b>not bold</b>

Marta Ngugi counted the zebras of Tsavo in 2019. Martha Ngugi lives in Voi.
"""
WARM = ("PPR(k=30) >> ShortestPaths() >> Rerank(BM25(), n=8) >> PathAnswer()", "KHop() >> ShortestPaths()")
SHOP = [
    EntityRecord(
        "kettle", "Blue Kettle", (), ("Product",), "", {"unit_price": 24.5, "tags": ("steel", MARKUP), "added": ADDED}
    ),
    EdgeRecord("lee", "bought", "kettle", {"on": datetime.date(2021, 5, 31)}),
    EdgeRecord("lee", "bought", "kettle", {"on": datetime.date(2022, 5, 31)}),
]
STAFF = [
    EntityRecord("t1", "Release Team", (), ("Team",), "", {"size": 12}),
    EntityRecord("t2", "Checkout Team", (), ("Team",), "", {"size": 7}),
    EntityRecord("p1", "Maria Torres", (), ("Person",), "", {"title": "Engineer", "remote": True}),
    EntityRecord("p2", "Maria Torres", (), ("Person",), "", {"title": "Analyst", "remote": True}),
    EntityRecord("p3", "Tom Berg", (), ("Person",), "", {"title": "Engineer", "remote": False}),
    EdgeRecord("p1", "MEMBER_OF", "t1", {}),
    EdgeRecord("p2", "MEMBER_OF", "t2", {}),
    EdgeRecord("p3", "MEMBER_OF", "t2", {}),
    EdgeRecord("p3", "LEADS", "t2", {}),
]
"""Two people of one name, in teams."""
STAFF += [EntityRecord(f"n{i}", f"Nobody {i}", (), ("Person",), "", {}) for i in range(11)]
STAFF += [EdgeRecord(f"n{i}", "MEMBER_OF", "t2", {}) for i in range(11)]
WORD = "f7c3bc1d808e04732adf679965ccc34ca7ae3441" * 8
"""A word without a place to break, longer than any window is wide."""
FILES = [
    EntityRecord(WORD, WORD, (), ("File",), WORD, {"hash": WORD, "size": 51_000}),
    EntityRecord("ann", "Ann", (), ("Person",), "", {}),
    EdgeRecord("ann", "made", WORD, {"note": WORD}),
    EdgeRecord(WORD, WORD, "ann", {}),
]
HOSTILE = [(MARKUP, "<script>hack()</script>", f"{MARKUP} 2"), ("Safe", "knows", MARKUP)]


@contextmanager
def listening(**options: Any) -> Iterator[str]:
    """Serve graphs on a free port, and give the address."""
    import uvicorn

    from graphbrick.serve.app import create_app
    from graphbrick.serve.options import ServeOptions

    server = uvicorn.Server(uvicorn.Config(create_app(ServeOptions(**options)), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=60)


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders of the world graph, which has learned, of a graph whose labels are markup, and of one from documents."""
    from rich.console import Console

    from graphbrick import index
    from graphbrick.cli.demo import learned_world
    from graphbrick.graphs.build.builder import build
    from graphbrick.learn.default import default_pipeline
    from graphbrick.pipeline.parsing import parse

    folder = tmp_path_factory.mktemp("graphs")
    (folder / "docs").mkdir()
    for name, text in {"kenya.md": KENYA, "uganda.md": UGANDA, "zebra.md": GUIDE}.items():
        (folder / "docs" / name).write_text(text)
    index([folder / "docs"], folder / "notes.graph")
    hostile = build(HOSTILE, folder / "hostile.graph")
    shop = build(SHOP, folder / "shop.graph")
    staff = build(STAFF, folder / "staff.graph")
    files = build(FILES, folder / "long.graph")
    world = learned_world(Console(stderr=True))
    for text in WARM:  # a kernel is compiled when it is first used, which a page would wait for
        parse(text).run(world, "What is the capital of Kenya?")
    default_pipeline(world).run(world, "What are the capitals of the countries that border Uganda?")
    paths = {
        "world": world.path,
        "hostile": hostile.path,
        "notes": folder / "notes.graph",
        "shop": shop.path,
        "staff": staff.path,
        "long": files.path,
    }
    return {name: str(path) for name, path in paths.items()}


@pytest.fixture(scope="session")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of answers to label; the study that they are of lies beside it."""
    from made_study import Madeup, write_study

    from graphbrick.judge.cases import cases_of
    from graphbrick.judge.labels.files import write_cases
    from graphbrick.judge.verdicts import Label
    from graphbrick.study.store.reader import Study

    folder = tmp_path_factory.mktemp("studies")
    pipelines = [Madeup("small", right=0.5, ms=4), Madeup("large", right=0.9, ms=60), Madeup("slow", right=0.6, ms=90)]
    with Study.open(write_study(folder / "runs.sqlite", pipelines, 30)) as study:
        write_cases(cases_of(study)[:4], [Label.CONTEXT_RELEVANCE, Label.ANSWER_RELEVANCE], folder / "labels.csv")
    return folder / "labels.csv"


@pytest.fixture(scope="session")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a search for pipelines."""
    from made_search import write_search

    return write_search(tmp_path_factory.mktemp("searches") / "tuned")


@pytest.fixture(scope="session")
def address(places: dict[str, str], labels: Path, tuned: Path) -> Iterator[str]:
    """Address of a server over all graphs, with a study and answers to label."""
    more = {
        "studies": (str(labels.parent),),
        "tuned": (str(tuned),),
        "labels": str(labels),
        "write": True,
    }
    with listening(graphs=places, recipes={"paths": "ShortestPaths() >> PathAnswer()"}, **more) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless browser: the one of the system if there is one, else Playwright's."""
    from playwright.sync_api import sync_playwright

    system = Path("/usr/bin/chromium")
    with sync_playwright() as playwright:
        found = {"executable_path": str(system)} if system.exists() else {}
        browser = playwright.chromium.launch(args=["--no-sandbox"], **found)
        yield browser
        browser.close()


class Visit:
    """Opens pages, and remembers what went wrong in them."""

    def __init__(self, browser: Any, address: str) -> None:
        self._browser, self.address = browser, address
        self.problems: list[str] = []
        self._contexts: list[Any] = []

    def open(self, place: str = "", **context: Any) -> Any:
        """Open a view, such as "#/graph", in a fresh context."""
        made = self._browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        made.set_default_timeout(60_000)
        self._contexts.append(made)
        page = made.new_page()
        page.on("console", lambda message: message.type == "error" and self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto(f"{self.address}/{place}")
        return page

    def close(self) -> None:
        """Close every page."""
        for context in self._contexts:
            context.close()


@pytest.fixture
def visit(chromium: Any, address: str) -> Iterator[Visit]:
    """Opens views of the server; a script that fails, or an error in the console, fails the test."""
    visit = Visit(chromium, address)
    yield visit
    visit.close()
    assert visit.problems == []


def until(page: Any, expression: str) -> None:
    """Wait until an expression is true in a page; its own policy keeps Playwright's way of doing so out."""
    end = time.monotonic() + 60
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"this did not become true: {expression}"
        page.wait_for_timeout(40)


def serious(page: Any) -> list[str]:
    """Return what axe finds that is serious or worse in a page."""
    from importlib.resources import files

    # Evaluated by the debugger of the browser: the page itself would not let it in.
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8") + ";0")
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
