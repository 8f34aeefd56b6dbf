"""What is kept of each triple and claim beside a graph made from text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import graphbrick
from graphbrick import change, index
from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs.corpus import Claim, TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.text.extract.describing import joined_descriptions
from graphbrick.text.extract.extraction import (
    Extraction,
    Extractor,
    Found,
    FoundClaim,
    FoundEntity,
    FoundTriple,
    Kind,
)

CLAIM = FoundClaim("Nairobi", "Kenya", "capital", "TRUE", "1907-01-01", "", "It is the capital.", "the capital")
RESULTS = {
    "one": Extraction(
        triples=[FoundTriple("Nairobi", "capital of", "Kenya", "It rules.", ("rule", "city"), 0.5)],
        entities=[FoundEntity("Nairobi", "city", "A city in Kenya."), FoundEntity("tea", "", "A drink.")],
        claims=[CLAIM],
    ),
    "two": Extraction(
        found=[Found(0, 3, Kind.NAME)],
        triples=[
            FoundTriple("the Nairobi", "capital of", "Kenya", "it rules", ("rule",), 0.25),
            FoundTriple("Nairobi", "capital of", "KENYA"),
            FoundTriple("Nairobi", "capital of", "Nairobi"),
        ],
        entities=[FoundEntity("NAIROBI", "city", "a city in Kenya. It is large."), FoundEntity("Kenya", "country")],
        claims=[CLAIM._replace(object="", quote="a\nb")],
        problem="the reply breaks off",
        dropped={"duplicate": 2},
    ),
}


@dataclass(frozen=True, repr=False)
class Given(Extractor):
    """Gives the results above, by the words of a text."""

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        return [RESULTS["one" if "one" in text else "two"] for text in texts]


@pytest.fixture
def graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TextGraph:
    (tmp_path / "1.txt").write_text("This is one.")
    (tmp_path / "2.txt").write_text("And this is two.")
    from graphbrick.text.indexing import indexing

    monkeypatch.setattr(indexing, "stored_extractor", lambda store: Given())
    return index([tmp_path / "1.txt", tmp_path / "2.txt"], tmp_path / "g.graph", extractor=Given()).graph


def test_json_of_results() -> None:
    for result in RESULTS.values():
        assert Extraction.from_json(result.to_json()) == result
    old = [[[0, 3, "name", ""]], [["a", "b", "c"]]]
    read = Extraction.from_json(old)
    assert read == Extraction([Found(0, 3, Kind.NAME)], [FoundTriple("a", "b", "c")])
    assert read.to_json() == old


def test_the_union_of_results() -> None:
    both = RESULTS["one"] | RESULTS["two"] | RESULTS["one"]
    assert both.triples[0] == RESULTS["one"].triples[0]
    assert len(both.triples) == 4
    assert len(both.entities) == 4
    assert (both.problem, both.dropped) == ("the reply breaks off", {"duplicate": 2})


def test_what_supports_a_triple(graph: TextGraph) -> None:
    nairobi, kenya = graph.entity("nairobi"), graph.entity("kenya")
    (triple,) = (
        int(i) for i in graph.triple_ids() if graph.csr.tail[i] == kenya and "capital" in graph.triple_text(int(i))
    )
    assert graph.support is not None
    begin, passages = graph.support
    assert passages[begin[triple] : begin[triple + 1]].tolist() == [0, 1]
    assert graph.weights is not None
    assert graph.weights[triple] == pytest.approx(1.5)  # 0.5, and 1 of the strengths 0.25 and 1
    assert graph.triple_description(triple) == "It rules."
    assert graph.triple_keywords(triple) == ("rule", "city")
    assert graph.description(nairobi) == "A city in Kenya. It is large."
    assert (graph.types(nairobi), graph.types(kenya)) == (["city"], ["country"])
    claim = Claim(nairobi, kenya, 0, "capital", "TRUE", "1907-01-01", "", "It is the capital.", "the capital")
    assert list(graph.claims) == [claim, claim._replace(object=None, passage=1, quote="a b")]
    assert graph.claims.of(kenya) == [claim]
    assert len(graph.claims.of(nairobi)) == 2


def test_co_occurrences_have_support_too(tmp_path: Path) -> None:
    (tmp_path / "1.md").write_text(
        "# Towns\n\nNairobi is in Kenya.\n\n# Two\n\nLima is in Peru.\n\n# Three\n\nKenya has Nairobi."
    )
    graph = index([tmp_path / "1.md"], tmp_path / "g.graph").graph
    assert graph.support is not None
    begin, passages = graph.support
    assert begin[-1] == len(passages)
    assert (begin[1:] > begin[:-1]).all()
    texts = graph.passage_texts()
    for i in graph.triple_ids().tolist():
        ends = {graph.label(int(graph.csr.heads(graph.triple_ids())[i])), graph.label(int(graph.csr.tail[i]))}
        assert [p for p, text in enumerate(texts) if all(end in text for end in ends)] == passages[
            begin[i] : begin[i + 1]
        ].tolist()


def test_after_a_change_of_the_graph_nothing_is_known_of_its_triples(graph: TextGraph) -> None:
    change(graph.path, add=[("kenya", "borders", "Somalia")])
    opened = graphbrick.open(graph.path)
    assert isinstance(opened, TextGraph)
    assert (opened.support, opened.triple_description(0), opened.triple_keywords(0)) == (None, "", ())
    assert len(opened.claims) == 2


def test_a_folder_of_an_earlier_version(graph: TextGraph) -> None:
    folder = next(text_folder(graph.path).glob("passages-*"))
    facts = json.loads((folder / "facts.json").read_text())
    for name in ("support.npy", "claim_ends.npy"):
        (folder / name).unlink()
        del facts["files"][name]
    for name in ("sha256", "checksum"):
        del facts[name]
    (folder / "facts.json").write_text(json.dumps(facts))
    opened = TextGraph.open(graph.path)
    for part in ("support", "claims"):
        with pytest.raises(GraphFormatError, match=r"run graphbrick index .* to build it again"):
            getattr(opened, part)
    with pytest.raises(GraphFormatError, match="earlier version"):
        opened.triple_description(0)


def test_joined_descriptions() -> None:
    assert joined_descriptions({}) == ""
    assert joined_descriptions({"B is long. A is short.": 1, "a is  short": 1}) == "A is short. B is long."
    assert len(joined_descriptions({"x" * 5000: 1})) == 1200
    long = {f"{i} {'x' * 100}.": 1 for i in range(50)}
    assert len(joined_descriptions(long)) <= 1200
