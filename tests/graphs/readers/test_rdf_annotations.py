"""Statements about statements (RDF 1.2) are properties of triples."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from rdf_files import PREFIXES, edges, read, triples

REIFIES = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<< :ada :knows :bo >> :since 2019 .", [("ada", "knows", "bo", {"since": 2019})]),
        (":ada :knows :bo {| :since 2019 ; :rate 0.5 |} .", [("ada", "knows", "bo", {"since": 2019, "rate": 0.5})]),
        (
            "<< :ada :knows :bo >> :since 2019 . << :ada :knows :bo >> :rate 0.5 . :ada :knows :bo .",
            [("ada", "knows", "bo", {"since": 2019, "rate": 0.5})],
        ),
        (
            ":ada :knows :bo {| :since 1999 |} {| :since 2020 |} .",
            [("ada", "knows", "bo", {"since": 1999}), ("ada", "knows", "bo", {"since": 2020})],
        ),
        (
            "<< :ada :knows :bo ~ :one >> :since 1999 . << :ada :knows :bo ~ :two >> :place :oslo .",
            [("ada", "knows", "bo", {"since": 1999}), ("ada", "knows", "bo", {"place": "oslo"})],
        ),
        (
            ':ada :knows :bo {| :by :src ; :when "2020-01-02"^^xsd:date |} . :src rdfs:label "The Source"@en .'
            ':when rdfs:label "seen on" .',
            [("ada", "knows", "bo", {"by": "The Source", "seen on": datetime.date(2020, 1, 2)})],
        ),
        (":one rdf:reifies <<( :ada :knows :bo )>> ; :tag 'x', 'y' .", [("ada", "knows", "bo", {"tag": ("x", "y")})]),
    ],
)
def test_a_statement_about_a_triple_is_its_property(tmp_path: Path, text: str, expected: object) -> None:
    for suffix in ("ttl", "trig"):
        file = tmp_path / f"kb.{suffix}"
        file.write_text(f"{PREFIXES} :bo :in :oslo . {text}")
        records, left_out = read(file)
        assert edges(records) == expected
        assert triples(records) == [("bo", "in", "oslo")]
        assert not left_out.counts


@pytest.mark.parametrize("order", [1, -1])
def test_lines_of_n_triples(tmp_path: Path, order: int) -> None:
    lines = [
        "<http://example.org/ada> <http://example.org/knows> <http://example.org/bo> .",
        f"_:r {REIFIES} <<( <http://example.org/ada> <http://example.org/knows> <http://example.org/bo> )>> .",
        '_:r <http://example.org/since> "2019"^^<http://www.w3.org/2001/XMLSchema#integer> .',
        "<http://example.org/bo> <http://example.org/in> <http://example.org/oslo> .",
    ]
    file = tmp_path / "kb.nt"
    file.write_text("\n".join(lines[::order]) + "\n")
    records, _ = read(file)
    assert edges(records) == [("ada", "knows", "bo", {"since": 2019})]
    assert triples(records) == [("bo", "in", "oslo")]


def test_the_older_form_in_lines(tmp_path: Path) -> None:
    triple = "<< <http://example.org/ada> <http://example.org/knows> <http://example.org/bo> >>"
    file = tmp_path / "kb.nt"
    file.write_text(
        f'{triple} <http://example.org/by> "me" .\n'
        f'{triple} <http://example.org/since> "2019"^^<http://www.w3.org/2001/XMLSchema#gYear> .\n'
        "<http://example.org/ada> <http://example.org/knows> <http://example.org/bo> .\n"
    )
    records, left_out = read(file)
    assert (triples(records), edges(records)) == ([], [("ada", "knows", "bo", {"by": "me", "since": 2019})])
    assert not left_out.counts


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (":bo :says << :ada :knows :cy >> .", "statements about statements that are not properties of a triple"),
        (":bo :says <<( :ada :knows :cy )>> .", "statements about statements that are not properties of a triple"),
        ("<< :ada :knows :bo >> :by [] .", "properties of triples whose value has no name"),
        ("<< << :ada :knows :bo >> :since 2019 >> :by :me .", "properties of properties"),
        ("<< :ada a :Person >> :by :me . :ada a :Person .", "properties of labels and types"),
        ("<< :ada :knows :cy ~ :one >> .", "statements that are only named"),
    ],
)
def test_what_a_property_cannot_express_is_counted(tmp_path: Path, text: str, kind: str) -> None:
    file = tmp_path / "kb.ttl"
    file.write_text(f"{PREFIXES} :ada :in :oslo . {text}")
    records, left_out = read(file)
    assert triples(records) == [("ada", "in", "oslo")]
    assert not edges(records)
    assert left_out.counts[kind] == 1


def test_a_literal_tail_of_an_annotated_triple_is_described(tmp_path: Path) -> None:
    file = tmp_path / "kb.ttl"
    file.write_text(f"{PREFIXES} :ada :age 36 {{| :since 2019 |}} .")
    records, _ = read(file)
    key = '"36"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert edges(records) == [("ada", "age", key, {"since": 2019})]


def test_anonymous_nodes_keep_their_numbers(tmp_path: Path) -> None:
    file = tmp_path / "kb.ttl"
    file.write_text(f"{PREFIXES} :a :has [ :part [ :of :b ] ] {{| :since 2019 |}} . :c :has [ :part :d ] .")
    records, _ = read(file)
    ((head, relation, first, properties),) = edges(records)
    assert (head, relation, properties) == ("a", "has", {"since": 2019})
    parts = {head: tail for head, relation, tail in triples(records) if relation == "part"}
    assert (parts[first], "of", "b") in triples(records)
    assert len(triples(records)) == 4
    assert read(file)[0] == records


def test_a_statement_after_the_start_of_a_long_file_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphbrick.graphs.readers.rdf import reading

    monkeypatch.setattr(reading, "BLOCK_BYTES", 10)
    file = tmp_path / "kb.nt"
    file.write_text(f"<a:a> <a:p> <a:b> .\n_:r {REIFIES} <<( <a:a> <a:p> <a:b> )>> .\n")
    records, left_out = read(file)
    assert triples(records) == [("a:a", "a:p", "a:b")]
    assert list(left_out.counts.values()) == [1]
