"""Names of documents that say nothing of the machine."""

from __future__ import annotations

import pytest

from graphbrick import index
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.corpus import TextGraph
from graphbrick.text.overview.names import DocumentNames, names_of


@pytest.mark.parametrize(
    ("sources", "addresses", "names"),
    [
        (["/srv/kb"], ["/srv/kb/a.md", "/srv/kb/sub/a.md"], ["a.md", "sub/a.md"]),
        (["/srv/x", "/srv/y"], ["/srv/x/a.md", "/srv/y/a.md", "/srv/y/b.md"], ["x/a.md", "y/a.md", "b.md"]),
        (["/u/x", "/v/x"], ["/u/x/a.md", "/v/x/a.md"], ["x/a.md", "x/1-a.md"]),
        (["/srv/x", "/srv/x/deep"], ["/srv/x/deep/a.md"], ["a.md"]),  # the nearer source
        (["/srv/a.txt"], ["/srv/a.txt"], ["a.txt"]),
        (["/srv/kb", "/home/me/a.md"], ["/srv/kb/a.md", "/home/me/a.md"], ["kb/a.md", "1-a.md"]),
        (["/srv/t.csv"], ["/srv/t.csv#3/4", "/srv/t.csv#5"], ["t.csv#3/4", "t.csv#5"]),
        (["/srv/kb"], ["/srv/kb/t.csv#1"], ["t.csv#1"]),
        (["https://a.example/sitemap.xml"], ["https://a.example/one"], ["https://a.example/one"]),
        ([], ["/home/me/a.md", "/home/you/a.md"], ["1-a.md", "2-a.md"]),  # without the database of documents
        (["/srv/x", "/srv/y"], ["/srv/x/a.md", "/srv/y/a.md", "/srv/y/x/a.md"], ["x/1-a.md", "y/a.md", "x/a.md"]),
    ],
)
def test_names_are_paths_from_what_was_indexed_and_unique(sources, addresses, names):
    made = DocumentNames(addresses, sources)
    assert [made.name(address) for address in addresses] == names
    assert [made.address(name) for name in names] == addresses
    assert [made.address(address) for address in addresses] == addresses  # of links of earlier versions


def test_messages_are_without_folders():
    names = DocumentNames(["/srv/kb/a.md"], ["/srv/kb"])
    assert names.in_text("/srv/kb/a.md, line 3: it is empty; see /srv/kb") == "a.md, line 3: it is empty; see kb"
    assert names.in_text("of /srv/kbx and /tmp/srv/kb/a") == "of /srv/kbx and /tmp/srv/kb/a"


def test_without_the_database_documents_are_named_by_their_files_and_that_is_told(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "kenya.txt").write_text("Nairobi is the capital of Kenya.")
    graph = index([tmp_path], tmp_path / "n.graph").graph
    (tmp_path / "n.graph.text" / "documents.sqlite").write_bytes(b"no database")
    with record(Trace(), "x", "step") as entry:
        name = names_of(TextGraph.open(graph.path)).name(str(tmp_path / "deep" / "kenya.txt"))
    assert name == "kenya.txt"
    assert [event.code for event in entry.events] == ["names.no_database"]
