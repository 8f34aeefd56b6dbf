"""Output folders of Microsoft GraphRAG as graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from commands import Run, refused
from faults import fails
from graphrag_output import TEXT, UNITS, tables, write_output
from pyarrow import parquet

from graphbrick import index
from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.pipeline.parsing import parse
from graphbrick.text.documents.imported import IMPORTED
from graphbrick.text.documents.store import TextStore
from graphbrick.text.exchange.graphrag import importing
from graphbrick.text.exchange.graphrag.importing import import_graphrag
from graphbrick.text.reporting.reports import citations, reports_of


@pytest.fixture
def lakes(tmp_path: Path) -> TextGraph:
    return import_graphrag(write_output(tmp_path / "ragtest" / "output"), tmp_path / "lakes.graph").graph


def labels(graph: TextGraph, entities: object) -> list[str]:
    return [graph.label(int(entity)) for entity in entities]  # type: ignore[attr-defined]


def test_entities_relationships_text_units_and_claims(lakes: TextGraph) -> None:
    lake = lakes.entity("LAKE VICTORIA")
    assert (lakes.types(lake), lakes.description(lake)) == (["GEO"], "A large lake.")
    texts = {lakes.triple_text(t): lakes.triple_description(t) for t in lakes.triple_ids().tolist()}
    assert texts["KISUMU -> related to -> LAKE VICTORIA"] == "Kisumu is a port on the lake."
    assert "TEA -> related to -> MOMBASA" in texts  # its end is not in the table of entities
    ids = {lakes.triple_text(t).partition(" ->")[0]: t for t in lakes.triple_ids().tolist()}
    assert lakes.weights is not None
    assert lakes.weights[ids["KISUMU"]] == 8.0
    begin, passages = lakes.support or ((), ())
    assert passages[begin[ids["KISUMU"]] : begin[ids["KISUMU"] + 1]].tolist() == [0, 1]
    claim = lakes.claims[0]
    assert labels(lakes, [claim.subject]) == ["KERICHO"]
    assert claim[1:8] == (None, 2, "TRADE", "TRUE", "2024-01-01", "", "Kericho sells tea.")


def test_passages_are_slices_of_their_document_with_sections(lakes: TextGraph, run: Run) -> None:
    for number, unit in enumerate(UNITS):
        text, document, start, end, title, _ = lakes.passage(number)
        assert (text, document, title) == (unit.strip(), "lakes.md", "lakes")
        assert TEXT[start:end] == text
    assert [lakes.passage(number).section for number in range(3)] == ["Lakes", "Lakes", "Lakes > Tea"]
    assert set(labels(lakes, lakes.mentions[1][: lakes.mentions[0][1]])) == {"LAKE VICTORIA", "KENYA", "KISUMU"}
    assert run("documents", lakes.path, "lakes.md", "--start", 9, "--end", 22).out == "Lake Victoria\n"


def test_communities_and_reports_keep_what_they_cite(lakes: TextGraph) -> None:
    reports = reports_of(lakes)
    tree = reports.tree
    members = [set(labels(lakes, tree.members(community))) for community in range(len(tree))]
    assert members[tree.children(members.index({"LAKE VICTORIA", "KENYA", "KISUMU"}))[0]] == {"LAKE VICTORIA", "KISUMU"}
    lake, tea = (
        next(report for report in reports.of.values() if report.title == title) for title in ("The lake", "Tea")
    )
    assert (lake.rating, lake.why, lake.summary) == (7.5, "Large.", "A lake and its neighbours.")
    finding = lake.findings[0]
    assert finding.explanation == "Kisumu is a port."
    assert labels(lakes, finding.cited.entities) == ["KISUMU"]
    cited = {lakes.triple_text(triple) for triple in finding.cited.triples}
    assert cited == {"LAKE VICTORIA -> related to -> KENYA", "KISUMU -> related to -> LAKE VICTORIA"}
    assert [place.start for place in citations(lakes, finding.cited)] == [0, TEXT.index(UNITS[1].strip())]
    assert (tea.summary, tea.cited.passages) == ("Tea of Kericho.", (2,))


def test_what_was_missing_is_told(tmp_path: Path, run: Run) -> None:
    content = tables()
    content["text_units"][1]["text"] = "words that are not in the document"
    content["covariates"][0]["subject_id"] = "NONE"
    result = run("import", write_output(tmp_path / "output", content), tmp_path / "lakes.graph", "--json")
    assert json.loads(result.out)["notes"] == [
        "1 ends of relationships are not in the table of entities, and were added: MOMBASA",
        "1 claims without subject or text unit were left out",
        "1 text units are not in the text of a document, and are documents of their own",
    ]
    assert TextGraph.open(tmp_path / "lakes.graph").passage(1).document == "lakes.md#2"


def test_two_types_of_one_title_are_one_entity_with_both(tmp_path: Path) -> None:
    content = tables()
    content["entities"].append({**content["entities"][4], "id": "e5", "type": "PLANT", "text_unit_ids": ["u1"]})
    graph = import_graphrag(write_output(tmp_path / "output", content), tmp_path / "lakes.graph").graph
    tea = graph.entity("TEA")
    assert (graph.types(tea), graph.mentioned_in(tea).tolist()) == (["PRODUCT", "PLANT"], [1, 2])


def test_tables_of_version_1(tmp_path: Path) -> None:
    content = tables()
    del content["communities"], content["community_reports"], content["covariates"], content["documents"]
    folder = write_output(tmp_path / "artifacts", content)
    for file in list(folder.iterdir()):
        file.rename(folder / f"create_final_{file.name}")
    done = import_graphrag(folder, tmp_path / "lakes.graph")
    assert (done.communities, done.reports, done.claims) == (0, 0, 0)
    assert {done.graph.passage(i).text for i in range(3)} == {unit.strip() for unit in UNITS}


def test_the_graph_answers_and_is_not_for_index(lakes: TextGraph, tmp_path: Path) -> None:
    answer = parse("Passages(n=2) >> Quote(BM25(), n=1)")(lakes, "Where is the tea sold?")
    assert answer.texts == ("The tea is sold in Mombasa.",)
    (tmp_path / "more.txt").write_text("More about Kenya.")
    with fails("index.imported"):
        index([tmp_path / "more.txt"], lakes.path)
    assert lakes.path.exists()


def test_an_import_replaces_an_import_but_nothing_that_was_indexed(tmp_path: Path) -> None:
    output = write_output(tmp_path / "output")
    import_graphrag(output, tmp_path / "lakes.graph")
    with pytest.raises(GraphbrickError, match="--overwrite"):
        import_graphrag(output, tmp_path / "lakes.graph")
    assert import_graphrag(output, tmp_path / "lakes.graph", overwrite=True).graph.n_passages == 3
    (tmp_path / "kenya.txt").write_text("Nairobi is the capital of Kenya. Lake Victoria borders Kenya.")
    index([tmp_path / "kenya.txt"], tmp_path / "own.graph")
    with fails("import.documents_there"):
        import_graphrag(output, tmp_path / "own.graph", overwrite=True)


def test_of_two_imports_onto_a_new_place_the_later_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, first = tmp_path / "lakes.graph", write_output(tmp_path / "first")
    claim = importing.claim

    def later(*arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(importing, "claim", claim)
        import_graphrag(first, place)
        return claim(*arguments, **options)

    monkeypatch.setattr(importing, "claim", later)
    with fails("place.taken"):
        import_graphrag(write_output(tmp_path / "second"), place)
    assert TextGraph.open(place).n_passages == 3
    with TextStore(text_folder(place)) as store:
        assert store.setting(IMPORTED) == str(first)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("relationships.parquet", None, "import_graphrag.no_table"),
        ("relationships.parquet", b"no table", "import_graphrag.not_parquet"),
        ("entities.parquet", [], "import_graphrag.no_entity"),
    ],
)
def test_bad_folders(tmp_path: Path, name: str, content: object, code: str) -> None:
    folder = write_output(tmp_path / "output")
    if content is None:
        (folder / name).unlink()
    elif isinstance(content, bytes):
        (folder / name).write_bytes(content)
    else:
        for file in ("entities", "relationships", "covariates"):
            parquet.write_table(
                pyarrow.table({"title": pyarrow.array([], pyarrow.string())}), folder / f"{file}.parquet"
            )
    with fails(code, InputError):
        import_graphrag(folder, tmp_path / "lakes.graph")
    assert not (tmp_path / "lakes.graph").exists()


def test_a_folder_of_no_known_form_is_refused(tmp_path: Path, run: Run) -> None:
    refused(
        run("import", tmp_path, tmp_path / "g.graph"),
        "can be imported (graphrag, lightrag, hipporag)",
        "graphbrick index",
    )
    refused(run("import", tmp_path, tmp_path / "g.graph", "--from", "pdf"), "choose one of: graphrag")


@pytest.mark.shared
def test_a_real_index(data_dir: Path, tmp_path: Path) -> None:
    source = data_dir / "graphrag_dulce"
    if not source.is_dir():
        pytest.skip("no graphrag_dulce in the data folder")
    done = import_graphrag(source, tmp_path / "dulce.graph")
    graph = done.graph
    assert (done.communities, done.reports, done.claims, graph.n_triples, graph.n_passages) == (10, 10, 41, 107, 5)
    rows = parquet.read_table(source / "entities.parquet").to_pylist()
    for row in rows:
        entity = graph.entity(row["title"])
        assert (graph.types(entity), graph.description(entity)) == ([row["type"]], row["description"])
    reports = reports_of(graph)
    assert all(report.all_cited.triples and citations(graph, report.all_cited) for report in reports.of.values())
    texts = "".join(finding.text for report in reports.of.values() for finding in report.findings)
    assert "[Data" not in texts


def test_tables_of_other_columns_and_without_relations_are_refused(tmp_path: Path) -> None:
    output = write_output(tmp_path / "output")
    whole = (output / "text_units.parquet").read_bytes()
    parquet.write_table(pyarrow.table({"id": ["1"], "words": ["Kenya"]}), output / "text_units.parquet")
    with fails("import_graphrag.no_column", InputError, table="text_units.parquet", columns=("text", "chunk")):
        import_graphrag(output, tmp_path / "lakes.graph")
    (output / "text_units.parquet").write_bytes(whole)
    parquet.write_table(pyarrow.table({"source": [""], "target": [""]}), output / "relationships.parquet")
    with fails("import_graphrag.no_relation", InputError):
        import_graphrag(output, tmp_path / "lakes.graph")
    assert not (tmp_path / "lakes.graph.text").exists()


def test_cited_text_units_are_those_with_the_number_whatever_it_counts_from(tmp_path: Path) -> None:
    content = tables()
    for row in content["text_units"]:
        row["human_readable_id"] += 1  # as in earlier versions
    content["text_units"][1]["text"] = ""
    content["community_reports"][0]["summary"] = "Tea of Kericho [Data: Sources (1, 2, 3)]."
    graph = import_graphrag(write_output(tmp_path / "output", content), tmp_path / "lakes.graph").graph
    (tea,) = [report for report in reports_of(graph).of.values() if report.title == "Tea"]
    assert [graph.passage(passage).text for passage in tea.cited.passages] == [UNITS[0].strip(), UNITS[2].strip()]


def test_text_units_with_the_same_text_follow_each_other(tmp_path: Path) -> None:
    content = tables()
    line = "Tea is sold."
    content["documents"][0]["text"] = f"{line} {line} {line}"
    for row in content["text_units"]:
        row["text"] = line
    graph = import_graphrag(write_output(tmp_path / "output", content), tmp_path / "lakes.graph").graph
    assert [graph.passage(i).start for i in range(3)] == [0, 13, 26]
