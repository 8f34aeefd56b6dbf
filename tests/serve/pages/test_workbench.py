"""The files of the workbench: they are in the package, small, keep to their policy, and call only routes that exist."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

import graphbrick.serve
from graphbrick.serve.pages.workbench import page_file, page_names

PAGE = Path(graphbrick.serve.__file__).parent / "page"
OWN = sorted(path for path in PAGE.rglob("*") if path.suffix in (".js", ".html", ".css") and "vendor" not in path.parts)
FIRST_VIEW = 400_000  # bytes, compressed


def own_text(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def test_the_page_comes_with_a_policy_that_runs_only_its_own_scripts(client):
    reply = client.get("/")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.strip().split(" ", 1) for part in reply.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert (policy["script-src"], policy["style-src"]) == ("'self'", "'self'")
    assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.whole
def test_every_file_is_sent_with_its_type_and_only_once(client):
    kinds = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".html": "text/html"}
    for name in page_names():
        reply = client.get(f"/page/{name}")
        assert reply.status_code == 200, name
        assert reply.content == (PAGE / name).read_bytes()
        expected = kinds.get(Path(name).suffix)
        assert expected is None or reply.headers["content-type"].startswith(expected)
        again = client.get(f"/page/{name}", headers={"If-None-Match": reply.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_texts_are_sent_compressed_to_those_who_can_read_it(client):
    packed = client.get("/page/vendor/sigma.min.js", headers={"Accept-Encoding": "gzip"})
    plain = client.get("/page/vendor/sigma.min.js", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 3


@pytest.mark.parametrize("name", ["../app.py", "..%2fapp.py", "js/../../app.py", "js", "nothing.js", "/etc/passwd", ""])
def test_no_name_leads_to_another_file(client, name):
    assert client.get(f"/page/{name}").status_code == 404


def test_the_page_needs_no_token_and_its_data_does(served_with_token):
    assert served_with_token.get("/").status_code == 200
    assert served_with_token.get("/page/js/main.js").status_code == 200
    assert served_with_token.get("/v1/graphs").status_code == 401


@pytest.fixture
def served_with_token():
    from served import serving

    with serving(token="a-long-enough-token") as client:
        yield client


def test_every_address_that_the_page_calls_is_a_route(client):
    called = re.findall(r'"(/v1/[^"]*)"', own_text("js/routes.js"))
    assert len(called) > 5
    paths = client.get("/openapi.json").json()["paths"]
    plain = {re.sub(r"\{[^}]*\}", "{}", path) for path in paths}
    assert [path for path in called if re.sub(r"\{[^}]*\}", "{}", path) not in plain] == []
    others = [path.name for path in OWN if path.name != "routes.js" and "/v1/" in path.read_text(encoding="utf-8")]
    assert others == []


def test_nothing_comes_from_elsewhere_and_nothing_is_read_as_markup():
    for path in OWN:
        text = path.read_text(encoding="utf-8")
        addresses = set(re.findall(r"https?://[^\s\"'`)]+", text)) - {"http://www.w3.org/2000/svg"}
        assert addresses == set(), path
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            path
        )
    page = own_text("index.html")
    assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|<style", page)


def test_every_file_that_is_named_exists():
    names = set(page_names())
    assert set(re.findall(r'(?:src|href)="page/([^"]+)"', own_text("index.html"))) <= names
    for path in OWN:
        if path.suffix == ".js":
            imported = re.findall(r'(?:from|import\()\s*"\./([^"]+)"', path.read_text(encoding="utf-8"))
            assert {f"js/{name}" for name in imported} <= names, path


def test_the_first_view_is_small():
    files = ["index.html", "style.css", "work.css", "vendor/inter-latin-wght-normal.woff2", "js/theme.js"]
    waiting = ["js/main.js", "js/ask.js"]
    while waiting:
        name = waiting.pop()
        if name not in files:
            files.append(name)
            waiting += [f"js/{one}" for one in re.findall(r'from "\./([^"]+)"', own_text(name))]
    sizes = [len(file.gzipped or file.body) for file in map(page_file, files) if file is not None]
    assert len(sizes) == len(files)
    assert sum(sizes) < FIRST_VIEW / 2  # the rest is for a graph's answer


def test_vendored_files_are_as_they_were_published():
    vendor = json.loads(own_text("vendor/vendor.json"))
    listed = {"vendor.json"}
    for entry in vendor["files"]:
        body = (PAGE / "vendor" / entry["file"]).read_bytes()
        assert hashlib.sha256(body).hexdigest() == entry["sha256"], entry["file"]
        assert (PAGE / "vendor" / entry["licence_file"]).is_file()
        listed |= {entry["file"], entry["licence_file"]}
    assert {path.name for path in (PAGE / "vendor").iterdir()} == listed
    scripts = list((PAGE / "vendor").glob("*.js"))
    assert sum(len(gzip.compress(path.read_bytes())) for path in scripts) < 150_000
