"""Names that are one entity: listed, proposed, merged, undone, kept apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from commands import Run, refused
from documents import write_documents
from faults import fails

from graphbrick import Graph, build, index
from graphbrick.core.errors import InputError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.testing import TINY
from graphbrick.text.extract.extraction import Kind
from graphbrick.text.extract.naming import Names
from graphbrick.text.indexing.merging import Folded, Proposal, change_merges, merges_of, proposed_merges

FILES = {
    "1.txt": "The UN met in Nairobi. The Great Lakes are near Nairobi. We saw the Masai Lodge.",
    "2.txt": "The United Nations helps Kenya. Kenya’s Great Lake is in Kenya. We like Apollo 11.",
    "3.txt": "The United Nations are in Nairobi. In Nairobi, Apollo 12 was shown. There are many masai lodges.",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    index([write_documents(tmp_path / "docs", FILES)], tmp_path / "g.graph")
    return tmp_path / "g.graph"


def keys(graph: Graph) -> set[str]:
    return {graph.key(entity) for entity in range(graph.n_entities)}


def mentioned(graph: TextGraph, key: str) -> list[str]:
    return [Path(one.document).name for one in graph.passages([graph.entity(key)], 9)[0]]


def test_merge_and_undo(place: Path) -> None:
    graph = TextGraph.open(place)
    before = graph.hash
    assert {"un", "united nations"} <= keys(graph)
    merged = change_merges(place, merge=[("UN", "The United Nations")]).graph
    assert "un" not in keys(merged)
    assert mentioned(merged, "united nations") == ["1.txt", "2.txt", "3.txt"]
    united = merged.entity("united nations")
    assert (merged.label(united), merged.aliases(united)) == ("United Nations", ["UN"])
    listed = merges_of(place)
    assert (listed.merged, listed.apart) == ([("un", "united nations")], [])
    assert Folded("United Nations", ("UN",)) not in listed.folded
    assert change_merges(place, undo=["UN"]).graph.hash == before


def test_a_name_merged_into_a_merged_one_goes_along(place: Path) -> None:
    merged = change_merges(place, merge=[("UN", "United Nations"), ("United Nations", "Kenya")]).graph
    assert mentioned(merged, "kenya") == ["1.txt", "2.txt", "3.txt"]
    assert not {"un", "united nations"} & keys(merged)
    with fails("merges.same_entity", InputError, alias="Kenya", name="UN"):
        change_merges(place, merge=[("Kenya", "UN")])
    assert merges_of(place).merged == [("un", "united nations"), ("united nations", "kenya")]


def names(merges: dict[str, str]) -> Names:
    """Return the names of two passages with a plural and a phrase."""
    rows = [[("Great Lakes", Kind.NAME, ""), ("great lake", Kind.PHRASE, "")], [("great lake", Kind.PHRASE, "")]]
    made = Names(merges)
    for row in rows:
        made.count(row)
    made.resolve()
    return made


def test_plurals_follow_what_the_user_says() -> None:
    assert names({}).key("Great Lakes") == "great lake"
    assert names({"great lake": "african great lake"}).key("Great Lakes") == "african great lake"
    assert names({"great lake": "great lake"}).key("Great Lakes") == "great lakes"
    assert names({"great lakes": "great lakes"}).key("Great Lakes") == "great lakes"
    assert names({"great lakes": "great lakes"}).key("Great lake") == "great lake"


def test_what_is_refused(place: Path, tmp_path: Path) -> None:
    before = TextGraph.open(place).hash
    with fails("merges.no_entity", InputError, name="Untied Nations"):
        change_merges(place, merge=[("UN", "Kenya"), ("UN", "Untied Nations")])
    assert merges_of(place).merged == []  # nothing of it was done
    with fails("merges.no_entity", InputError, name="Mars"):
        change_merges(place, apart=["Mars"])
    with fails("merges.same_entity", InputError):
        change_merges(place, merge=[("The Kenya", "Kenya")])
    with fails("merges.not_merged", InputError, name="Kenya"):
        change_merges(place, undo=["Kenya"])
    assert TextGraph.open(place).hash == before
    build(TINY, tmp_path / "tiny.graph")
    with fails("merges.not_from_documents", InputError):
        merges_of(tmp_path / "tiny.graph")
    (tmp_path / "docs" / "4.txt").write_text("Kampala is new.")


@dataclass(frozen=True, repr=False)
class Letters(Embedder):
    """Embeds a text as its letters, so that spellings are similar."""

    @property
    def identity(self) -> str:
        return "letters"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.zeros((len(texts), 128), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text.casefold():
                row[ord(letter) % 128] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_proposals(tmp_path: Path) -> None:
    texts = {
        "1.txt": "We saw Nairobi and Apollo 11. We saw Kampala.",
        "2.txt": "We saw Nairobbi and Apollo 12.",
        "3.txt": "We saw Nairobi again.",
    }
    index([write_documents(tmp_path / "docs", texts)], tmp_path / "g.graph")
    (proposal,) = proposed_merges(tmp_path / "g.graph", Letters(), at_least=0.9)
    assert proposal[:2] == ("Nairobbi", "Nairobi")
    assert 0.9 < proposal.cosine < 1
    assert proposed_merges(tmp_path / "g.graph", Letters(), at_least=0.999) == []
    change_merges(tmp_path / "g.graph", apart=["Nairobbi"])
    assert proposed_merges(tmp_path / "g.graph", Letters(), at_least=0.9) == []
    assert merges_of(tmp_path / "g.graph").apart == ["nairobbi"]
    assert isinstance(proposal, Proposal)


def test_the_command(run: Run, place: Path) -> None:
    graph = str(place)
    assert "merged by folding:\n  Masai Lodge = masai lodges\n" in run("merges", graph).out
    done = run("merges", graph, "--merge", "UN", "United Nations").out
    assert done.startswith(f"{graph}: ")
    run("merges", graph, "--merge", "Apollo 12", "Apollo 11")
    listed = run("merges", graph).out
    assert "merged by you:\n  apollo 12 -> apollo 11\n  un -> united nations\n" in listed
    run("merges", graph, "--undo", "UN", "--apart", "UN")
    assert json.loads(run("merges", graph, "--json").out)["apart"] == ["un"]
    refused(run("merges", graph, "--merge", "x", "y"), "has no entity 'x'")
    assert "kept apart by you:\n  un\n" in run("merges", graph).out


def test_no_proposal_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Nairobi is the capital of Kenya.")
    index([tmp_path / "a.txt"], tmp_path / "a.graph")
    said = run("merges", tmp_path / "a.graph", "--propose", "--at-least", "0.99").out
    assert said == "no names are merged; no two are as similar as 0.99 (--at-least)\n"
    assert "--propose compares them by embeddings" in run("merges", tmp_path / "a.graph").out
