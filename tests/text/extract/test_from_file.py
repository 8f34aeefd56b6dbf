"""FromFile: triples that were extracted elsewhere."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from commands import Run, refused
from faults import fails

from graphbrick import FromFile, Phrases, index
from graphbrick.core.errors import InputError
from graphbrick.testing import check_brick
from graphbrick.text.extract.extraction import FoundTriple

ENTRY = {
    "title": "Kenya",
    "text": "Nairobi  is its capital.",
    "triples": [["Nairobi", "capital of", "Kenya"], ["a", "b"]],
}


@pytest.mark.parametrize("form", ["lines", "list", "hipporag"])
def test_the_forms_of_a_file(tmp_path: Path, form: str) -> None:
    hipporag = {
        "docs": [{"idx": "0", "passage": "Kenya\nNairobi is its capital.", "extracted_triples": ENTRY["triples"]}]
    }
    text = {"lines": json.dumps(ENTRY) + "\n", "list": json.dumps([ENTRY]), "hipporag": json.dumps(hipporag)}[form]
    file = tmp_path / "openie.json.gz"
    file.write_bytes(gzip.compress(text.encode()))
    brick = FromFile(str(file))
    check_brick(brick)
    known, other = brick.extract(["Kenya\nnairobi is its capital.", "Something else."])
    assert known.triples == [FoundTriple("Nairobi", "capital of", "Kenya")]
    assert (known.found, other.triples) == ([], [])


def test_triples_as_objects(tmp_path: Path) -> None:
    triples = [
        {"subject": "Nairobi", "relatie": "capital of", "object": "Kenya"},
        {"head": "Kisumu", "relation": "lies on", "tail": "Lake Victoria"},
        {"subject": "a", "object": "b"},
        ["Kericho", "grows", "tea"],
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"text": "a", "triples": triples}))
    whole = [("Nairobi", "capital of", "Kenya"), ("Kisumu", "lies on", "Lake Victoria"), ("Kericho", "grows", "tea")]
    assert FromFile(str(file)).extract(["a"])[0].triples == [FoundTriple(*one) for one in whole]
    assert FromFile(str(file), objects=False).extract(["a"])[0].triples == [FoundTriple(*whole[2])]


def test_a_graph_of_given_triples(tmp_path: Path) -> None:
    (tmp_path / "openie.jsonl").write_text(json.dumps(ENTRY))
    (tmp_path / "d.jsonl").write_text(json.dumps({"id": 1, "title": "Kenya", "text": "Nairobi is its capital."}))
    done = index([tmp_path / "d.jsonl"], tmp_path / "a.graph", extractor=FromFile(str(tmp_path / "openie.jsonl")))
    assert [done.graph.triple_text(0)] == ["Nairobi -> capital of -> Kenya"]
    assert done.graph.weights is not None
    assert done.graph.weights.tolist() == [1.0]


def test_a_plain_file_has_the_triples_of_its_text(tmp_path: Path) -> None:
    (tmp_path / "openie.jsonl").write_text(json.dumps({name: ENTRY[name] for name in ("text", "triples")}))
    (tmp_path / "notes.txt").write_text("Nairobi is its capital.\n")
    done = index([tmp_path / "notes.txt"], tmp_path / "a.graph", extractor=FromFile(str(tmp_path / "openie.jsonl")))
    assert [done.graph.triple_text(0)] == ["Nairobi -> capital of -> Kenya"]


def test_the_open_ie_file_of_hipporag_as_a_whole(tmp_path: Path, run: Run) -> None:
    docs = [
        {
            "idx": "p1",
            "passage": "Kenya\nNairobi is its capital.",
            "extracted_triples": [["Nairobi", "capital of", "Kenya"]],
        },
        {"idx": "p2", "passage": "Nothing here.", "extracted_entities": [], "extracted_triples": []},
        {"idx": "p3", "passage": "Nor here.", "extracted_triples": []},
    ]
    file = tmp_path / "openie_results_ner_x.json"
    file.write_text(json.dumps({"docs": docs, "avg_ent_chars": 1.0}))
    counts = json.loads(run("import", file, tmp_path / "a.graph", "--json").out)
    assert (counts["entities"], counts["triples"], counts["passages"]) == (2, 1, 3)
    assert counts["notes"] == ["without a triple: 2 passages"]
    docs[2]["extracted_triples"] = [["Kisumu", "in", "Kenya"]]
    file.write_text(json.dumps({"docs": docs}))
    refused(run("import", file, tmp_path / "a.graph"))
    assert json.loads(run("import", file, tmp_path / "a.graph", "--overwrite", "--json").out)["triples"] == 2
    refused(run("import", file, tmp_path / "a.graph.text" / "..", "--from", "lightrag"), "has no graph_chunk")
    file.write_text("[]")
    refused(run("import", file, tmp_path / "b.graph", "--from", "hipporag"), "a JSON object with a list docs")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "from_file.not_json"),
        ("[1]", "from_file.not_an_object"),
        ('{"text": "a"}', "from_file.bad_entry"),
        ('{"text": "a", "triples": 5}', "from_file.bad_entry"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with fails(code, InputError):
        FromFile(str(tmp_path / "a.json")).extract(["a"])


def test_what_is_no_triple_is_left_out_and_told(tmp_path: Path, run: Run) -> None:
    triples = [
        ["Orwell", "wrote", "Animal Farm"],
        ["Orwell", "wrote", "1984"],
        ["Orwell", "liked", None],
        ["Orwell", "wrote"],
        "abc",
        {"subject": "Orwell", "head": "Orwell", "relation": "was", "object": "Eric Blair"},
    ]
    file = tmp_path / "openie.json"
    file.write_text(json.dumps({"docs": [{"idx": "1", "passage": "Orwell wrote.", "extracted_triples": triples}]}))
    (found,) = FromFile(str(file)).extract(["Orwell wrote."])
    assert [one[:3] for one in found.triples] == [("Orwell", "wrote", "Animal Farm"), ("Orwell", "was", "Eric Blair")]
    assert found.dropped == {"incomplete or not a name": 4}
    assert FromFile(str(file), objects=False).extract(["Orwell wrote."])[0].dropped == {
        "incomplete or not a name": 4,
        "an object instead of three parts": 1,
    }
    notes = json.loads(run("import", file, tmp_path / "a.graph", "--json").out)["notes"]
    assert notes == ["triples left out: 4 incomplete or not a name"]


def test_an_entity_may_have_the_name_of_a_relation(tmp_path: Path) -> None:
    (tmp_path / "openie.jsonl").write_text(json.dumps({"text": "it is a city", "triples": [["it", "nairobi", "city"]]}))
    texts = ["it is a city", "We met in Nairobi."]
    lines = [json.dumps({"id": i, "title": str(i), "text": text}) for i, text in enumerate(texts)]
    (tmp_path / "d.jsonl").write_text("\n".join(lines))
    extractor = FromFile(str(tmp_path / "openie.jsonl")) | Phrases()
    graph = index([tmp_path / "d.jsonl"], tmp_path / "a.graph", extractor=extractor).graph
    assert [graph.relation_label(i) for i in range(graph.n_relations)] == ["nairobi"]
    assert graph.mentioned_in(graph.entity("nairobi")).tolist() == [1]
