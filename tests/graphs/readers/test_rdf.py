from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyoxigraph as ox
import pytest
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions, read_source
from graphbrick.graphs.records.rdf_names import local_name
from graphbrick.graphs.records.records import BadRecords, EntityRecord, Record, RelationRecord

EX = "http://example.org/"
PREFIXES = """
@prefix : <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

SAID = '"Land in Ostafrika"@de', '"country in East Africa"@en'
# A small geography as one meets it: vocabulary and things in one file, several languages, literals, blank nodes.
GEOGRAPHY = (
    PREFIXES
    + """
:capital a owl:ObjectProperty ; rdfs:label "Hauptstadt"@de, "capital city"@en ; rdfs:range :City .
:City a owl:Class ; rdfs:label "city" .

:Kenya a :Country ;
    rdfs:label "Kenia"@de, "Kenya"@en, "Republic of Kenya"@en ;
    skos:altLabel "Jamhuri ya Kenya"@sw ;
    rdfs:comment "Land in Ostafrika"@de, "country in East Africa"@en ;
    :capital :Nairobi ;
    :borders [ :with :Uganda ; :length "933"^^xsd:integer ] .
:Nairobi a :City, [ a owl:Restriction ] ; schema:name "Nairobi" ; :population 4397073 ; :motto "city in the sun"@en .
_:lake :borders :Kenya, :Uganda .
:borders rdfs:label "shares a border with"@en .
"""
)


def write(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    data = content.encode() if isinstance(content, str) else content
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return file


def read(file: Path, bad: BadRecords | None = None, **options: Any) -> list[Record]:
    return list(read_source(file, nodes=None, options=ReadOptions(**options), bad=bad or BadRecords()))


def triples(records: list[Record]) -> list[tuple[str, str, str]]:
    return [record for record in records if isinstance(record, tuple)]


def entities(records: list[Record], key: str) -> EntityRecord:
    """What the records of one key add up to."""
    label: str | None = None
    description: str | None = None
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    for record in records:
        if isinstance(record, EntityRecord) and record.key == key:
            label = record.label or label
            description = record.description or description
            aliases, types = aliases + record.aliases, types + record.types
    return EntityRecord(key, label, aliases, types, description)


def relations(records: list[Record]) -> dict[str, str]:
    return {record.key: record.label for record in records if isinstance(record, RelationRecord)}


def test_geography(tmp_path: Path) -> None:
    records = read(write(tmp_path, "world.ttl", GEOGRAPHY))
    integer, text = "<http://www.w3.org/2001/XMLSchema#integer>", '"city in the sun"@en'
    assert triples(records) == [
        (EX + "capital", "http://www.w3.org/2000/01/rdf-schema#range", EX + "City"),
        *((EX + "Kenya", "http://www.w3.org/2000/01/rdf-schema#comment", said) for said in SAID),
        (EX + "Kenya", EX + "capital", EX + "Nairobi"),
        ("_:anon1", EX + "with", EX + "Uganda"),
        ("_:anon1", EX + "length", f'"933"^^{integer}'),
        (EX + "Kenya", EX + "borders", "_:anon1"),
        (EX + "Nairobi", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "_:anon2"),  # a class without a name
        (EX + "Nairobi", EX + "population", f'"4397073"^^{integer}'),
        (EX + "Nairobi", EX + "motto", text),
        ("_:lake", EX + "borders", EX + "Kenya"),
        ("_:lake", EX + "borders", EX + "Uganda"),
    ]
    assert entities(records, EX + "Kenya") == EntityRecord(
        EX + "Kenya",
        "Kenya",
        ("Kenia", "Republic of Kenya", "Jamhuri ya Kenya"),
        ("Country",),
        "country in East Africa",
    )
    assert entities(records, EX + "Nairobi") == EntityRecord(EX + "Nairobi", "Nairobi", (), ("City",))
    assert entities(records, EX + "Uganda") == EntityRecord(EX + "Uganda", "Uganda")
    assert entities(records, EX + "City") == EntityRecord(EX + "City", "city", (), ("Class",))
    assert entities(records, f'"933"^^{integer}') == EntityRecord(f'"933"^^{integer}', "933", (), ("integer",))
    assert entities(records, text) == EntityRecord(text, "city in the sun", (), ("langString",))
    assert entities(records, "_:anon1").label == "Uganda, 933"
    assert entities(records, "_:anon2").label == "unnamed Restriction"
    assert entities(records, "_:lake").label == "Kenya, Uganda"
    assert relations(records) == {
        "http://www.w3.org/2000/01/rdf-schema#range": "range",
        "http://www.w3.org/2000/01/rdf-schema#comment": "comment",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type": "type",
        EX + "capital": "capital city",
        EX + "borders": "shares a border with",
        EX + "with": "with",
        EX + "length": "length",
        EX + "population": "population",
        EX + "motto": "motto",
    }


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    file = write(tmp_path, "world.ttl", GEOGRAPHY)
    assert read(file) == read(file)


def test_language_is_chosen(tmp_path: Path) -> None:
    records = read(write(tmp_path, "world.ttl.gz", GEOGRAPHY), language="DE")
    assert entities(records, EX + "Kenya").label == "Kenia"
    assert entities(records, EX + "Kenya").description == "Land in Ostafrika"
    assert relations(records)[EX + "capital"] == "Hauptstadt"


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        ('"a"@fr, "b"@de', "a"),
        ('"a"@fr, "b", "c"', "b"),
        ('"a", "b"@fr', "a"),
        ('"a", "b"@en-GB, "c"@en-US', "b"),
        ('"a"@en-GB, "b"@EN, "c"@en', "b"),
        ('"a"@en, "b"@en, "c"', "a"),
        ('" "@en, " b "@fr', "b"),
        (":NotText", "x"),
    ],
)
def test_best_label_wins_and_of_equals_the_first(tmp_path: Path, labels: str, label: str) -> None:
    for before, after in (("", ":x :r :y ."), (":x :r :y .", "")):
        records = read(write(tmp_path, "kb.ttl", f"{PREFIXES} {before} :x rdfs:label {labels} . {after}"))
        assert entities(records, EX + "x").label == label
        labelled = [r.label for r in records if isinstance(r, EntityRecord) and r.key == EX + "x" and r.label]
        assert "x" not in labelled[1:], "a local name never follows"


@pytest.mark.parametrize("predicate", ["rdfs:label", "skos:prefLabel", "schema:name", "foaf:name"])
def test_label_predicates(tmp_path: Path, predicate: str) -> None:
    records = read(write(tmp_path, "kb.ttl", f'{PREFIXES} :x {predicate} "a name" .'))
    assert records == [EntityRecord(EX + "x", "a name")]


@pytest.mark.parametrize("predicate", ["schema:description", "rdfs:comment", "skos:definition", "dcterms:description"])
def test_description_predicates(tmp_path: Path, predicate: str) -> None:
    text = f'{PREFIXES} :x {predicate} "autre"@fr-CA, "plain", "first"@fr, "second"@fr, "" .'
    records = read(write(tmp_path, "kb.ttl", text), language="fr")
    assert records == [
        EntityRecord(EX + "x", "x"),
        EntityRecord(EX + "x", description="autre"),
        EntityRecord(EX + "x", description="first"),
    ]


def test_descriptions_in_several_languages_are_triples_as_well(tmp_path: Path) -> None:
    text = f'{PREFIXES} :x rdfs:comment "autre"@fr, "plain", "first"@en, "second"@en, "" .'
    records = read(write(tmp_path, "kb.ttl", text))
    comment = "http://www.w3.org/2000/01/rdf-schema#comment"
    assert triples(records) == [
        (EX + "x", comment, f'"{text}') for text in ('autre"@fr', 'plain"', 'first"@en', 'second"@en')
    ]
    described = [record.description for record in records if isinstance(record, EntityRecord) and record.description]
    assert described[-1] == "first"


@pytest.mark.parametrize("declared", ["", ":r a rdf:Property ."])
@pytest.mark.parametrize("first", [True, False])
def test_relation_takes_its_label_from_before_or_after(tmp_path: Path, declared: str, first: bool) -> None:
    statements = [f'{declared} :r rdfs:label "relates to" .', ":x :r :y ."]
    records = read(write(tmp_path, "kb.ttl", PREFIXES + " ".join(statements if first else statements[::-1])))
    assert relations(records) == {EX + "r": "relates to"}


def test_literals_by_language_and_datatype_are_different_entities(tmp_path: Path) -> None:
    lines = [
        r'<a:a> <a:p> "1\n\"x\"" .',
        '<a:a> <a:p> "1"@en .',
        '<a:a> <a:p> "1"^^<a:type#year> .',
        '<a:b> <a:p> "1"@en .',
    ]
    records = read(write(tmp_path, "kb.nt", "\n".join(lines)))
    literals = [record for record in records if isinstance(record, EntityRecord) and record.key.startswith('"')]
    assert literals == [
        EntityRecord(r'"1\n\"x\""', '1\n"x"', types=("string",)),
        EntityRecord('"1"@en', "1", types=("langString",)),
        EntityRecord('"1"^^<a:type#year>', "1", types=("year",)),
    ]
    assert len(triples(records)) == 4


@pytest.mark.parametrize(
    "name",
    [
        "kb.nt",
        "kb.nq",
        "kb.ttl",
        "kb.trig",
        "kb.n3",
        "kb.jsonld",
        "kb.rdf",
        "kb.xml",
        "kb.owl",
        "kb.nt.gz",
        "kb.rdf.gz",
    ],
)
def test_formats(tmp_path: Path, name: str) -> None:
    quad = ox.Triple(ox.NamedNode(EX + "Kenya"), ox.NamedNode(EX + "capital"), ox.NamedNode(EX + "Nairobi"))
    suffix = name.removesuffix(".gz").rpartition(".")[2].replace("owl", "rdf")
    rdf_format = ox.RdfFormat.from_extension(suffix)
    assert rdf_format is not None
    data = ox.serialize([quad], format=rdf_format)
    assert data is not None
    assert triples(read(write(tmp_path, name, data))) == [(EX + "Kenya", EX + "capital", EX + "Nairobi")]


def test_names_of_graphs_are_ignored(tmp_path: Path) -> None:
    expected = [("a:a", "a:p", "a:b"), ("a:a", "a:p", "a:c")]
    assert triples(read(write(tmp_path, "kb.nq", "<a:a> <a:p> <a:b> <a:g> .\n<a:a> <a:p> <a:c> .\n"))) == expected
    assert triples(read(write(tmp_path, "kb.trig", "<a:g> { <a:a> <a:p> <a:b> } <a:a> <a:p> <a:c> ."))) == expected


def test_relative_iris_take_the_name_of_the_file(tmp_path: Path) -> None:
    assert triples(read(write(tmp_path, "my kb.ttl", "<#a> <p> <> ."))) == [
        ("file:///my%20kb.ttl#a", "file:///p", "file:///my%20kb.ttl")
    ]


def test_mark_and_line_ends(tmp_path: Path) -> None:
    line = b"\xef\xbb\xbf# comment\r\n\r\n<a:a> <a:p> <a:b> .\r\n"
    assert triples(read(write(tmp_path, "kb.nt", line))) == [("a:a", "a:p", "a:b")]
    assert triples(read(write(tmp_path, "kb.ttl", line))) == [("a:a", "a:p", "a:b")]


@pytest.mark.whole
def test_line_based_formats_go_on_after_a_bad_line(tmp_path: Path) -> None:
    # Enough lines for several blocks, and faults in different ones.
    lines = [f"<a:e{i}> <a:p> <a:e{i + 1}> .".encode() for i in range(30_000)]
    faults = {
        2: (b"<a:a> <a:p> .", "reader.not_rdf"),
        3: (b'<a:a> <a:p> "open .', "reader.not_rdf"),
        4: (b'<a:a> <a:p> "\xff" .', "reader.not_text"),
        5: (b'<a:a> <a:p> "\0" .', "reader.not_text"),
        29_000: (b"<not an iri> <a:p> <a:b> .", "reader.not_rdf"),
        29_500: (b"<a:a> <a:p> " + b'"' + b"x" * 3000 + b'" .', "reader.line_too_long"),
    }
    for number, (line, _) in faults.items():
        lines[number - 1] = line
    file = write(tmp_path, "kb.nt.gz", b"\n".join(lines))
    bad = BadRecords(skip=True)
    records = read(file, bad, max_line_bytes=2000)
    assert len(triples(records)) == 30_000 - len(faults)
    assert [error.line for error in bad.errors] == list(faults)
    for error, (line, code) in zip(bad.errors, faults.values(), strict=True):
        assert error.code == code
        assert error.text == line.decode(errors="replace")[:200]
    with fails("reader.not_rdf", InputError, line=2, column=13):
        read(file)


def test_documents_cannot_be_resumed(tmp_path: Path) -> None:
    file = write(tmp_path, "kb.ttl", "@prefix x: <a:> .\nx:a x:p x:b .\nx:a y:p x:c .\nx:a x:p x:d .\n")
    with pytest.raises(InputError) as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}, line 3: column ")
    assert "--skip-bad" not in caught.value.reason
    with pytest.raises(InputError) as caught:
        read(file, BadRecords(skip=True))
    assert (caught.value.code, caught.value.line) == ("reader.not_rdf", 3)
    assert "--skip-bad can skip only in line-based formats" in caught.value.reason
    with fails("reader.not_rdf", InputError):
        read(write(tmp_path, "kb.rdf", "<a/>"))


@pytest.mark.whole
def test_faults_of_the_file_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kb.nt", "kb.ttl"):
        with fails("reader.empty_file", InputError):
            read(write(tmp_path, name, ""))
        packed = gzip.compress("".join(f"<a:{i * 7919}> <a:p> <a:b> .\n" for i in range(50_000)).encode())
        cut = write(tmp_path, name, packed[:-500])
        with fails("reader.truncated", InputError):
            read(cut, BadRecords(skip=True))
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with fails("reader.needs_pyoxigraph", InputError):
        read(write(tmp_path, "kb.nt", "<a:a> <a:p> <a:b> ."))


def test_node_table_beside_rdf(tmp_path: Path) -> None:
    edges, nodes = write(tmp_path, "kb.nt", "<a:a> <a:p> <a:b> ."), write(tmp_path, "nodes.csv", "iri,name\na:a,A\n")
    records = list(read_source(edges, nodes=nodes, options=ReadOptions(), bad=BadRecords()))
    assert records[0] == EntityRecord("a:a", "A")
    assert records[-1] == ("a:a", "a:p", "a:b")


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("http://example.org/a#b", "b"),
        ("http://example.org/a#b/c", "b/c"),
        ("http://example.org/a/b/", "b"),
        ("http://example.org/a#", "a"),
        ("http://example.org/caf%C3%A9%20noir", "café noir"),
        ("http://example.org/%FF", "%FF"),
        ("http://example.org/", "example.org"),
        ("urn:isbn:0451", "urn:isbn:0451"),
    ],
)
def test_local_name(iri: str, name: str) -> None:
    assert local_name(iri) == name


@pytest.mark.shared
def test_metaqa_through_rdf(tmp_path: Path, data_dir: Path) -> None:
    with gzip.open(data_dir / "metaqa" / "kb.txt.gz", "rt", encoding="utf-8") as lines:
        rows = [tuple(line.rstrip("\n").split("|")) for line, _ in zip(lines, range(2000), strict=False)]
    quads = [ox.Triple(*(ox.NamedNode(EX + quote(part, safe="")) for part in row)) for row in rows]
    for suffix, rdf_format in {
        "nt": ox.RdfFormat.N_TRIPLES,
        "ttl": ox.RdfFormat.TURTLE,
        "rdf": ox.RdfFormat.RDF_XML,
    }.items():
        data = ox.serialize(quads, format=rdf_format)
        assert data is not None
        records = read(write(tmp_path, f"kb.{suffix}", data))
        labels = {r.key: r.label for r in records if isinstance(r, EntityRecord | RelationRecord)}
        assert [tuple(labels[key] for key in triple) for triple in triples(records)] == rows


def test_entities_made_of_entities_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "lol.rdf"
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">\n' for i in range(1, 9))
    file.write_text(f'<?xml version="1.0"?>\n<!DOCTYPE rdf [<!ENTITY l0 "lol">\n{levels}]>\n<rdf>&l8;</rdf>')
    with fails("reader.nested_entities", InputError):
        list(read_source(file, nodes=None, options=ReadOptions(), bad=BadRecords()))


def test_a_message_of_the_parser_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "kb.ttl"
    file.write_text("<a> <b> " + "x" * 20_000 + " .")
    with fails("reader.not_rdf", InputError, line=1, column=9) as caught:
        list(read_source(file, nodes=None, options=ReadOptions(), bad=BadRecords()))
    assert len(caught.value.reason) < 420  # type: ignore[attr-defined]


def test_a_literal_that_the_parser_cannot_hold_is_a_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyoxigraph

    def parse(*_: object, **__: object) -> Iterator[object]:
        raise MemoryError("Reached the buffer maximal size of 16777216")
        yield

    file = tmp_path / "kb.ttl"
    file.write_text("<a> <b> <c> .")
    monkeypatch.setattr(pyoxigraph, "parse", parse)
    with fails("reader.term_too_long", InputError):
        list(read_source(file, nodes=None, options=ReadOptions(), bad=BadRecords()))
