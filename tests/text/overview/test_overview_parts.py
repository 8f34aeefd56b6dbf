"""Prose, central sentences, topics and documents: what answers about the whole are made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphbrick import index
from graphbrick.graphs.corpus import TextGraph
from graphbrick.text.overview.central import centrality, most_central
from graphbrick.text.overview.documents import documents_of, summary_of
from graphbrick.text.overview.kept import topics_of_graph
from graphbrick.text.overview.prose import prose, prose_of

LAKES = (
    "Lake {name} is a deep lake with fresh water. Fishing boats cross Lake {name} every morning. "
    "The water of Lake {name} feeds a river of the highlands."
)
LAWS = (
    "The Court of {name} decides about the tax law. A judge of the Court of {name} reads every appeal. "
    "Lawyers of the Court of {name} write appeals about the tax law."
)
NOTICE = "Our partners use cookies to collect information about this site."


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    """Twelve documents about lakes and courts, each with the same notice."""
    folder = tmp_path_factory.mktemp("whole")
    docs = folder / "docs"
    docs.mkdir()
    for i, name in enumerate(("Arno", "Bela", "Cora", "Dune", "Esk", "Fyne")):
        (docs / f"lake{i}.md").write_text(f"# Lake {name}\n\n{LAKES.format(name=name)}\n\n{NOTICE}\n")
        (docs / f"court{i}.md").write_text(f"# Court of {name}\n\n{LAWS.format(name=name)}\n\n{NOTICE}\n")
    return index([docs], folder / "notes.graph").graph


def test_prose_leaves_out_menus_code_tables_and_headings() -> None:
    text = (
        "# Ships\n\n[Home](a) [Ships](b) [Contact](c) and more links to click.\n\n"
        "| Ship | Passengers |\n| Nordlys | 300 |\n\n"
        "The ship Nordlys carries 300 passengers to Voss.\n\n```\nprint('hello there, dear reader of this.')\n```\n"
    )
    assert prose_of(text) == ["The ship Nordlys carries 300 passengers to Voss."]


def test_prose_of_a_language_without_spaces() -> None:
    assert prose_of("维多利亚湖是非洲最大的湖泊之一，面积很大。") == ["维多利亚湖是非洲最大的湖泊之一，面积很大。"]


def test_sentences_that_three_documents_have_are_no_prose(graph: TextGraph) -> None:
    texts = [one.text for one in prose(graph, range(graph.n_passages))]
    assert NOTICE not in texts
    assert "Lake Arno is a deep lake with fresh water." in texts


def test_the_sentence_that_shares_most_words_is_central_and_repeats_are_left_out() -> None:
    texts = [
        "The ferry crosses the fjord to Voss.",
        "The ferry crosses the fjord to Voss twice.",
        "Bread is baked in the early morning.",
        "In summer the ferry to Voss is full.",
    ]
    scores = centrality(texts)
    assert scores[2] == scores.min()
    chosen = most_central(texts, scores, 3)
    assert len({0, 1} & set(chosen)) == 1
    assert np.isclose(centrality(["One sentence alone."]).sum(), 1.0)


def test_a_sentence_that_leans_on_another_counts_less() -> None:
    texts = ["This ferry crosses the fjord to Voss.", "The ferry crosses the fjord to Voss."]
    scores = centrality(texts)
    assert scores[0] < scores[1]


def test_topics_tell_lakes_from_courts(graph: TextGraph) -> None:
    topics = topics_of_graph(graph)
    assert len(topics.topics) == 2
    names = [" ".join(topic.names).lower() for topic in topics.topics]
    assert any("water" in name or "lake" in name or "boats" in name for name in names)
    assert any("court" in name or "law" in name for name in names)
    assert {topic.n_documents for topic in topics.topics} == {6}


def test_topics_are_kept_beside_the_graph_and_go_with_the_documents(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "secret.md").write_text("The password of the old safe is known to nobody but Ida Falk.\n")
    (docs / "open.md").write_text("The ferry from Bergen to Voss leaves every day at noon.\n")
    first = index([docs], tmp_path / "notes.graph").graph
    topics_of_graph(first)
    kept = list((tmp_path / "notes.graph.text").glob("topics*/topics.json"))
    assert "safe" in kept[0].read_text()
    (docs / "secret.md").unlink()
    index([docs], tmp_path / "notes.graph")
    assert not list((tmp_path / "notes.graph.text").glob("topics*"))


def test_a_document_is_called_by_file_name_stem_title_and_kind(graph: TextGraph) -> None:
    documents = documents_of(graph)
    for name in ("lake0.md", "lake0", "the file lake0.md", "docs/lake0.md", "Lake Arno".lower()):
        assert [Path(one).name for one in documents.called(name)] == ["lake0.md"], name
    assert documents.called("ake0.md") == []


def test_each_section_of_a_document_has_a_sentence(tmp_path: Path) -> None:
    text = "# Manual\n\nThis manual is about the pump P7 of the village.\n\n"
    for part in ("Start", "Care", "Repair"):
        text += f"## {part}\n\nTo {part.lower()} the pump P7 you need a wrench. A second pump is in the shed.\n\n"
    (tmp_path / "manual.md").write_text(text)
    graph = index([tmp_path / "manual.md"], tmp_path / "m.graph").graph
    summary = summary_of(graph, range(graph.n_passages))
    assert summary.headings == ("Start", "Care", "Repair")
    assert [heading for heading, _ in summary.sentences] == ["", "Start", "Care", "Repair"]
