"""Sitemaps: pages fetched politely from a server of this machine, and only once."""

from __future__ import annotations

import gzip
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from commands import Run
from faults import fails

from graphbrick import Phrases, Sitemap, index
from graphbrick.core.errors import InputError, ModelError
from graphbrick.text.sources import sitemap as module
from graphbrick.text.sources.sitemap import Page, page_document, pages_of
from graphbrick.text.sources.web import AGENT, is_private, rules_in

Reply = tuple[int, dict[str, str], bytes]


class Site(ThreadingHTTPServer):
    """Serves replies by path, and notes what was asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: dict[str, Reply] = {}
        self.requests: list[tuple[str, str]] = []
        self.root = f"http://127.0.0.1:{self.server_port}"

    def page(self, path: str, body: str, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.replies[path] = 200, {"Content-Type": "text/html; charset=utf-8"} | named, body.encode()

    def list(self, *paths: str, lastmod: str = "", at: str = "/sitemap.xml") -> None:
        rows = "".join(f"<url><loc>{self.root}{path}</loc><lastmod>{lastmod}</lastmod></url>" for path in paths)
        xml = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
        self.replies[at] = 200, {"Content-Type": "application/xml"}, xml.encode()

    def asked(self) -> list[str]:
        """The paths asked for since the last call, but for robots.txt and the sitemap."""
        paths = [path for path, _ in self.requests if "robots" not in path and "sitemap" not in path]
        self.requests.clear()
        return paths


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.requests.append((self.path, self.headers["User-Agent"]))
        status, headers, body = self.server.replies.get(self.path, (404, {}, b""))
        if status == 200 and headers.get("ETag", "-") == self.headers["If-None-Match"]:
            status, body = 304, b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "*")
    server = Site()
    server.page("/a", "<title>Kenya</title><nav>Menu</nav><main><p>The capital of Kenya is Nairobi.</p></main>")
    server.page("/b", "<title>Uganda</title><p>In Uganda is Kampala.</p><footer>Imprint</footer>", ETag='"1"')
    server.list("/a", "/b")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def pages(site: Site, folder: Path, **options: float) -> list[Page]:
    folder.mkdir(exist_ok=True)
    return list(pages_of(Sitemap(f"{site.root}/sitemap.xml", **{"rate": 100.0, **options}), folder))  # type: ignore[arg-type]


def problems(site: Site, folder: Path) -> dict[str, str]:
    return {page.url.removeprefix(site.root): page.problem for page in pages(site, folder) if page.problem}


def test_pages_become_documents_with_their_address(run: Run, tmp_path: Path, site: Site) -> None:
    place = str(tmp_path / "notes.graph")
    out = run("index", f"{site.root}/sitemap.xml", place, "--rate", "100").out
    assert "2 documents (2 new, 0 changed, 0 deleted)" in out
    assert run("documents", place, f"{site.root}/a").out == "The capital of Kenya is Nairobi.\n"
    assert run("documents", place, f"{site.root}/b").out == "In Uganda is Kampala.\n"
    asked = run("ask", place, "What is the capital of Kenya?", "--pipeline", "Passages() >> Quote(BM25(), n=1)").out
    assert f"{site.root}/a (characters 0-32)" in asked
    assert {agent.partition("/")[0] for _, agent in site.requests} == {"graphbrick"}
    site.asked()
    again = run("index", f"{site.root}/sitemap.xml", place, "--rate", "100", "--pages", "1").out
    assert "1 document (0 new, 0 changed, 1 deleted)" in again
    assert site.asked() == ["/a"]


def test_addresses_in_any_language(tmp_path: Path, site: Site) -> None:
    site.page("/%C3%BCber-k%C3%B6ln?q=%E6%9D%B1", "<p>Cologne lies on the Rhine.</p>")
    site.list("/über-köln?q=東", "/a")
    assert problems(site, tmp_path) == {}
    assert site.asked() == ["/%C3%BCber-k%C3%B6ln?q=%E6%9D%B1", "/a"]
    assert next(page.url for page in pages(site, tmp_path)) == f"{site.root}/über-köln?q=東"


def test_only_what_may_have_changed_is_asked_for(tmp_path: Path, site: Site) -> None:
    source, place = Sitemap(f"{site.root}/sitemap.xml", rate=100), tmp_path / "notes.graph"
    site.list("/a", "/b", lastmod="2026-01-01")
    index([source], place)
    assert site.asked() == ["/a", "/b"]
    index([source], place)
    assert site.asked() == []
    site.list("/a", "/b", lastmod="2026-02-01")
    site.page("/a", "<p>A large town of Kenya is Mombasa.</p>")
    done = index([source], place)
    assert site.asked() == ["/a", "/b"]
    assert (done.reading.changed, done.reading.same, done.extracted) == (1, 1, 1)
    del site.replies["/a"]
    site.list("/a", "/b")
    gone = index([source], place, skip_bad=True)
    assert gone.reading.problems == [(f"{site.root}/a", "the server answers with status 404")]
    assert (gone.documents, gone.reading.deleted) == (1, 1)
    assert site.asked() == ["/a", "/b"]
    site.replies["/b"] = 500, {}, b""
    assert index([source], place, skip_bad=True).documents == 1  # what is known of it stays


def test_an_interrupted_run_is_continued(tmp_path: Path, site: Site) -> None:
    site.list("/a", "/b", "/c")
    site.page("/c", "Chad")
    source = Sitemap(f"{site.root}/sitemap.xml", rate=100)
    first = pages_of(source, tmp_path)
    assert [next(first).url, next(first).url] == [f"{site.root}/a", f"{site.root}/b"]
    first.close()
    site.asked()
    assert len(pages(site, tmp_path)) == 3
    assert site.asked() == ["/c"]


def test_one_request_after_another_at_the_rate(tmp_path: Path, site: Site) -> None:
    start = time.monotonic()
    pages(site, tmp_path, rate=20)
    assert time.monotonic() - start >= 3 / 20  # robots.txt, the sitemap, two pages
    site.replies["/robots.txt"] = 200, {}, b"User-agent: *\nCrawl-delay: 0.2"
    start = time.monotonic()
    pages(site, tmp_path / "2", rate=100)
    assert time.monotonic() - start >= 0.4


def test_a_server_that_asks_to_come_back(tmp_path: Path, site: Site) -> None:
    site.replies["/a"] = 503, {"Retry-After": "0"}, b""
    site.replies["/b"] = 429, {"Retry-After": "86400"}, b""
    assert problems(site, tmp_path) == {
        "/a": "the server answers with status 503",
        "/b": "the server asks to come back in 86,400 s; run the command again then",
    }
    assert site.asked() == ["/a", "/a", "/a", "/b"]


def test_robots_txt_is_obeyed(tmp_path: Path, site: Site) -> None:
    site.replies["/robots.txt"] = 200, {}, b"User-agent: *\nDisallow: /\n\nUser-agent: GraphBrick\nDisallow: /b"
    assert problems(site, tmp_path) == {"/b": "robots.txt does not allow it"}
    assert site.asked() == ["/a"]
    site.replies["/robots.txt"] = 500, {}, b""
    with fails("sitemap.not_fetched", InputError):
        pages(site, tmp_path)


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow: /a", "/ab", False),
        ("Disallow: /a/", "/ab", True),
        ("Disallow:", "/", True),
        ("Disallow: /*.pdf$", "/x/y.pdf", False),
        ("Disallow: /*.pdf$", "/x/y.pdf?z", True),
        ("Disallow: /*?", "/a?b", False),
        ("Disallow: /a*b*c", "/a1b2c3", False),
        ("Disallow: /a\nAllow: /a", "/a", True),
        ("Allow: /a/b\nDisallow: /a", "/a/b/c", True),
        ("Disallow: /ü", "/%C3%BC", False),
        ("Disallow: /~a", "/%7Ea", False),
        ("Disallow: /" + "*a" * 200 + "$", "/" + "a" * 5000 + "b", True),
        ("# Disallow: /\nnonsense", "/a", True),
    ],
)
def test_rules_of_robots(rules: str, path: str, allowed: bool) -> None:
    robots = rules_in(f"User-agent: one\nUser-agent: *\n{rules}".encode())
    assert robots.can_fetch(f"https://example.org{path}", AGENT) is allowed


def test_robots_without_protego(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "protego", None)
    with pytest.raises(ModelError, match=r"pip install 'graphbrick\[text\]'"):
        pages(site, tmp_path)


def test_redirections_stay_on_the_host(tmp_path: Path, site: Site) -> None:
    site.replies["/a"] = 301, {"Location": "/b"}, b""
    site.replies["/b2"] = 302, {"Location": "http://localhost:1/b"}, b""
    site.replies["/c"] = 302, {"Location": "/c"}, b""
    site.replies["/d"] = 302, {"Location": "file:///etc/passwd"}, b""
    site.list("/a", "/b2", "/c", "/d")
    assert problems(site, tmp_path) == {
        "/b2": "it leads to another host, localhost",
        "/c": "it is redirected more than 5 times",
        "/d": "it leads to another host, None",
    }


def test_other_hosts_and_private_addresses(tmp_path: Path, site: Site) -> None:
    rows = f"{site.root}/a\nhttp://localhost:{site.server_port}/b\nftp://example.org/\nhttp://u:p@127.0.0.1/x"
    site.replies["/sitemap.xml"] = 200, {}, rows.encode()
    found = {page.url: page.problem for page in pages(site, tmp_path)}
    assert list(found.values()) == [
        "",
        f"it is on another host than the sitemap, localhost:{site.server_port}",
        "addresses with a name and password are not fetched",
    ]
    file = tmp_path / "sitemap.xml"
    file.write_text(rows)
    assert (
        next(pages_of(Sitemap(str(file)), tmp_path)).problem == f"127.0.0.1:{site.server_port} is at a private address"
    )
    assert [is_private(host) for host in ("10.0.0.1", "::1", "169.254.169.254", "8.8.8.8")] == [True, True, True, False]


def test_indexes_gzip_and_circles(tmp_path: Path, site: Site) -> None:
    site.list("/b", at="/sitemap2.xml")
    site.replies["/sitemap2.xml.gz"] = 200, {}, gzip.compress(site.replies.pop("/sitemap2.xml")[2])
    inner = "".join(
        f"<sitemap><loc> {site.root}/{name} </loc></sitemap>"
        for name in ("sitemap.xml", "sitemap2.xml.gz", "sitemap1.xml")
    )
    site.list("/a", at="/sitemap1.xml")
    site.replies["/sitemap.xml"] = 200, {}, f"<sitemapindex>{inner}</sitemapindex>".encode()
    assert [page.url.removeprefix(site.root) for page in pages(site, tmp_path)] == ["/b", "/a"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><urlset>&d;</urlset>', "sitemap.entities"),
        (b"<urlset><url>", "sitemap.not_xml"),
        (b'<?xml version="1.0" encoding="UTFm8"?><urlset/>', "sitemap.not_xml"),
        (b"<urlset></urlset>", "sitemap.no_page"),
        (b"", "sitemap.no_page"),
        (gzip.compress(b"<a>" * (1 << 20)), "sitemap.too_large"),
        (b"<a>" * (1 << 20), "sitemap.not_fetched"),
        (gzip.compress(b"<urlset></urlset>", mtime=0)[:-9], "sitemap.damaged_gzip"),
    ],
)
def test_bad_sitemaps(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch, body: bytes, code: str) -> None:
    monkeypatch.setattr(module, "MOST_SITEMAP", 1 << 20)
    site.replies["/sitemap.xml"] = 200, {}, body
    with fails(code, InputError):
        pages(site, tmp_path)


def test_indexes_without_end(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(10):
        row = f"<sitemapindex><sitemap><loc>{site.root}/sitemap{i + 1}.xml</loc></sitemap></sitemapindex>"
        site.replies[f"/sitemap{i}.xml"] = 200, {}, row.encode()
    site.replies["/sitemap.xml"] = site.replies["/sitemap0.xml"]
    with fails("sitemap.too_many_sitemaps", InputError):
        pages(site, tmp_path)


def test_a_server_that_has_gone_stops_the_run(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.list(*(f"/{i}" for i in range(9)))
    fetched = pages_of(Sitemap(f"{site.root}/sitemap.xml", rate=100), tmp_path)
    next(fetched)
    monkeypatch.setattr(
        "graphbrick.text.sources.web.urllib.request.OpenerDirector.open",
        lambda *_, **__: (_ for _ in ()).throw(OSError()),
    )
    with fails("sitemap.server_gone", InputError):
        list(fetched)


@pytest.mark.parametrize(
    ("type_", "body", "code"),
    [
        ("image/png", b"x", "sitemap.other_type"),
        ("", b"x", "sitemap.other_type"),
        ("text/html", b"<nav></nav>", "sitemap.no_text"),
        ("text/plain", b"a\0b", "sitemap.binary"),
        ("application/pdf", b"x", "office.failed"),
    ],
)
def test_pages_that_are_no_documents(type_: str, body: bytes, code: str) -> None:
    with fails(code, InputError):
        page_document(Page("https://example.org/a", type_, body))


def test_the_title_of_a_page_without_one() -> None:
    page = Page("https://example.org/lakes/lake-victoria.txt?a=b", "text/plain", b"It is large.")
    assert page_document(page).title == "lake victoria"
    assert page_document(page._replace(url="https://example.org/")).title == "example.org"


@pytest.mark.parametrize("options", [{"rate": 0.0}, {"rate": 1000.0}, {"pages": 0}])
def test_limits_of_the_options(options: dict[str, float]) -> None:
    with fails(f"sitemap.bad_{next(iter(options))}", InputError, **options):
        Sitemap("https://example.org/sitemap.xml", **options)  # type: ignore[arg-type]


def test_an_address_as_text(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sitemap.__init__, "__defaults__", (100.0, 1000))
    graph = index([f"{site.root}/sitemap.xml"], tmp_path / "notes.graph", extractor=Phrases()).graph
    assert graph.passage(0).document == f"{site.root}/a"


def test_more_pages_than_are_read_are_told(run: Run, tmp_path: Path, site: Site) -> None:
    place, source = str(tmp_path / "notes.graph"), f"{site.root}/sitemap.xml"
    some = run("index", source, place, "--rate", "100", "--pages", "1").err
    assert f"note: {source} lists more than 1 page, and only these are read; --pages (pages) takes more" in some
    assert "lists more than" not in run("index", source, place, "--rate", "100", "--pages", "2").err
