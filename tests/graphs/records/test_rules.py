from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from faults import fails

from graphbrick.cli.app import main
from graphbrick.core.errors import InputError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, RelationRecord
from graphbrick.graphs.records.rules import FREEBASE, KEEP, LABEL_OF, LEAVE_OUT, Rules, rules_named

NS = "http://rdf.freebase.com/ns/"


def built(folder: Path, *records: Any, **options: Any) -> Graph:
    return build(records, folder / "g.graph", **options)


@pytest.mark.parametrize(
    ("relation", "what"),
    [
        ("people.person.profession", KEEP),
        ("type.object.type", LEAVE_OUT),
        ("type.object.name", LABEL_OF),
        ("type.object.key", LEAVE_OUT),
        ("type.type.instance", LEAVE_OUT),
        ("type.type.expected_by", KEEP),
        ("key.wikipedia.en", LEAVE_OUT),
        ("keyboard.key", KEEP),
        ("kg.object_profile.prominent_type", LEAVE_OUT),
        ("type.property.schema", KEEP),
        ("common.topic.article", LEAVE_OUT),
        ("freebase.type_hints.included_types", LEAVE_OUT),
        ("http://www.w3.org/2002/07/owl#sameAs", LEAVE_OUT),
        ("music.release.track", LEAVE_OUT),
        ("music.artist.genre", KEEP),
        ("book.isbn.book_editions", LEAVE_OUT),
    ],
)
def test_freebase(relation: str, what: int) -> None:
    assert FREEBASE.action(relation) == what


def test_patterns() -> None:
    rules = Rules(include=("a.*", "b"), exclude=("a.x*",))
    assert [rules.action(r) for r in ("a.b", "b", "a.x1", "c", "ab")] == [KEEP, KEEP, LEAVE_OUT, LEAVE_OUT, LEAVE_OUT]
    more = rules.with_patterns(("c",), ("b",), ("name",))
    assert [more.action(r) for r in ("c", "b", "name")] == [KEEP, LEAVE_OUT, LABEL_OF]


def test_what_is_left_out_is_counted_and_leaves_no_entity(tmp_path: Path) -> None:
    records = [("a", "r", "b"), ("x", "s.t", "y"), ("b", "s.u", "z"), ("b", "r", "c")]
    graph = built(tmp_path, *records, rules=Rules(exclude=("s.*",)))
    assert sorted(graph.key_triples()) == [("a", "r", "b"), ("b", "r", "c")]
    assert [graph.key(entity) for entity in range(graph.n_entities)] == ["a", "b", "c"]
    assert (graph.n_relations, graph.manifest.left_out, graph.manifest.triples_read) == (1, 2, 2)


def test_everything_left_out(tmp_path: Path) -> None:
    with fails("build.no_triple", InputError, left_out=1):
        built(tmp_path, ("a", "r", "b"), rules=Rules(include=("s",)))
    assert list(tmp_path.iterdir()) == []


def test_labels_from_a_relation(tmp_path: Path) -> None:
    records = [
        ("m.1", "name", "Kenya"), ("m.1", "r", "m.2"), ("m.2", "name", '"Nairobi"@de'), ("m.2", "name", '"Nairóbi"@en'),
        ("m.2", "name", '"Nairobi"'), ("m.3", "name", "nowhere"), ("r", "name", "capital"),
    ]  # fmt: skip
    graph = built(tmp_path, *records, rules=Rules(label_relations=("name",)))
    assert [graph.label(entity) for entity in range(graph.n_entities)] == ["Kenya", "Nairóbi"]
    assert (graph.relation_label(0), graph.n_relations, graph.manifest.labels_read) == ("capital", 1, 6)


def test_keys_lose_their_beginning(tmp_path: Path) -> None:
    rules = Rules(strip=NS)
    records = [
        (f"<{NS}m.1>", NS + "p.q", NS + "m.2"), EntityRecord(NS + "m.1", "One"), RelationRecord(NS + "p.q", "the q"),
    ]  # fmt: skip
    graph = built(tmp_path, *records, rules=rules)
    assert list(graph.key_triples()) == [("m.1", "p.q", "m.2")]
    assert (graph.label(0), graph.relation_label(0)) == ("One", "the q")


def test_freebase_from_n_triples_and_from_a_table(tmp_path: Path) -> None:
    lines = [
        ("m.1", "type.object.name", '"Kenia"@de'),
        ("m.1", "type.object.name", '"Kenya"@en'),
        ("m.1", "location.country.capital", "<m.2>"),
        ("m.2", "type.object.type", "<location.location>"),
        ("m.2", "common.topic.description", '"a city"@en'),
        ("m.2", "location.location.area", '"696"'),
        ("m.9", "type.object.name", '"not there"@en'),
        ("location.country.capital", "type.object.name", '"Capital"@en'),
    ]
    nt, tsv = tmp_path / "fb.nt", tmp_path / "fb.tsv"
    nt.write_text("".join(f"<{NS}{h}>\t<{NS}{r}>\t{t.replace('<', '<' + NS)}\t.\n" for h, r, t in lines))
    tsv.write_text("".join(f"<{NS}{h}>\t<{NS}{r}>\t{t.replace('<', '<' + NS)}\n" for h, r, t in lines))
    for source in (nt, tsv):
        graph = build(source, tmp_path / f"{source.name}.graph", rules=FREEBASE)
        assert list(graph.key_triples()) == [
            ("m.1", "location.country.capital", "m.2"),
            ("m.2", "location.location.area", '"696"'),
        ]
        assert graph.label(graph.entity("m.1")) == "Kenya"
        assert graph.label(graph.entity("m.2")) == "m.2"
        assert graph.relation_label(0) == "Capital"
        assert graph.manifest.left_out == 2


def test_labels_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "kb.tsv").write_text("m.1\tp\tm.2\n")
    (tmp_path / "labels.tsv").write_text("m.1\tKenya\nm.3\tnowhere\np\tcapital\nm.1\tRepublic of Kenya\n")
    graph = build(tmp_path / "kb.tsv", tmp_path / "g.graph", labels=tmp_path / "labels.tsv")
    assert [graph.label(entity) for entity in range(graph.n_entities)] == ["Republic of Kenya", "m.2"]
    assert graph.relation_label(0) == "capital"


def test_bad_rules() -> None:
    with fails("rules.bad_pattern", InputError, name="exclude"):
        Rules(exclude="a.*")  # type: ignore[arg-type]
    with fails("rules.bad_pattern", InputError, name="include"):
        Rules(include=("",))
    with fails("rules.no_preset", InputError, preset="wikidata", allowed=["freebase"]):
        rules_named("wikidata")
    assert rules_named("freebase") is FREEBASE


def test_the_command_line_takes_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kb.tsv").write_text("a\tr.x\tb\na\ts.y\tc\na\tname\tAlpha\na\tr.z\td\n")
    (tmp_path / "labels.tsv").write_text("b\tBeta\n")
    target = str(tmp_path / "g.graph")
    options = "--include r.* --exclude *.z --no-near --label-relation name".split()
    with pytest.raises(SystemExit) as stopped:
        main(["build", str(tmp_path / "kb.tsv"), target, "--labels", str(tmp_path / "labels.tsv"), *options])
    assert stopped.value.code == 0
    told = capsys.readouterr().out
    assert "left out by the rules: 2 triples" in told
    assert "read as labels: 1 triple" in told
    assert "there is no index for near misses of names (--near)" in told
    graph = Graph.open(target)
    assert [graph.triple_text(t) for t in graph.triple_ids()] == ["Alpha -> r.x -> Beta"]
    with pytest.raises(SystemExit):
        main(["info", target, "--check", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert (facts["left_out"], facts["labels_read"], facts["near_misses"], facts["checked"]) == (2, 1, False, True)
    with pytest.raises(SystemExit) as stopped:
        main(["build", str(tmp_path / "kb.tsv"), target, "--preset", "wikidata", "--overwrite"])
    assert stopped.value.code == 1
    assert "there is no preset 'wikidata'; there are freebase" in capsys.readouterr().err
