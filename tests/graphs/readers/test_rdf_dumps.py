"""Files that are almost RDF, as the dumps of Wikidata and DBpedia; N3 and JSON-LD as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails
from rdf_files import EX, PREFIXES, names, read, triples

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.rdf.mending import BYTES, ENDS, IRIS, TAGS, TEXTS
from graphbrick.graphs.readers.rdf.reading import UNMAPPED

P = "<http://dbpedia.org/ontology/wikiPageRedirects>"
R = "http://dbpedia.org/resource/"


@pytest.mark.parametrize(
    ("line", "tail", "kind"),
    [
        (f"<a:a> {P} <{R}A|B> .", f"{R}A%7CB", IRIS),
        (f"<a:a> {P} <{R}A B> .", f"{R}A%20B", IRIS),
        (f'<a:a> {P} <{R}"Heroes"> .', f"{R}%22Heroes%22", IRIS),
        (f"<a:a> {P} <{R}100%_Wolf> .", f"{R}100%25_Wolf", IRIS),
        (f"<a:a> {P} <{R}a\\u007Cb> .", f"{R}a%7Cb", IRIS),
        (f"<a:a> {P} <{R}a>b> .", f"{R}a%3Eb", IRIS),
        (f"<a:a> {P} <http://x y.org/{{1}}`^> .", "http://x%20y.org/%7B1%7D%60%5E", IRIS),
        (f'<a:a> {P} "x"@en- .', '"x"@en', TAGS),
        (f'<a:a> {P} "x"@zh_min_nan .', '"x"@zh-min-nan', TAGS),
        (f'<a:a> {P} "x"@ .', '"x"', TAGS),
        (f'<a:a> {P} "x"@123 .', '"x"', TAGS),
        (f'<a:a> {P} "x"@x-averylongtag .', '"x"@x-averylon', TAGS),
        (f'<a:a> {P} "a\\qb" .', '"a\\\\qb"', TEXTS),
        (f'<a:a> {P} "the "big" one"@en .', '"the \\"big\\" one"@en', TEXTS),
        (f'<a:a> {P} "half \\uD800 letter" .', '"half \ufffd letter"', TEXTS),
        (f'<a:a> {P} "5"^^<http://x.org/a b> .', '"5"^^<http://x.org/a%20b>', IRIS),
        (f"<a:a> {P} <a:b>", "a:b", ENDS),
        (f'<a:a> {P} "caf\udce9" .', '"caf\ufffd"', BYTES),
        (f'<a:a> {P} "nul\0" .', '"nul\ufffd"', BYTES),
    ],
)
def test_a_line_is_mended_and_counted(tmp_path: Path, line: str, tail: str, kind: str) -> None:
    file = tmp_path / "dump.nt"
    file.write_bytes(f"<a:a> <a:p> <a:b> .\n{line}\n<a:a> <a:p> <a:c> .\n".encode(errors="surrogateescape"))
    records, left_out = read(file, lenient=True)
    rows = triples(records)
    assert [row[2] for row in rows] == ["a:b", tail, "a:c"]
    assert left_out.counts == {kind: 1}
    assert left_out.examples[kind]
    if kind != ENDS:
        with pytest.raises(InputError, match="--lenient"):
            read(file)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Redirect to: A", "lines that are not RDF, even when mended"),
        (f'<a:a> {P} "open', "lines that are not RDF, even when mended"),
        (f"<a:a> {P} <{R}cut", "lines that are not RDF, even when mended"),
        (f'<a:a> {P} "{"x" * 2000}" .', "lines that are too long"),
    ],
)
def test_a_line_that_cannot_be_mended_is_left_out_and_counted(tmp_path: Path, line: str, kind: str) -> None:
    file = tmp_path / "dump.nt"
    file.write_text(f"<a:a> <a:p> <a:b> .\n{line}\n<a:a> <a:p> <a:c> .\n")
    records, left_out = read(file, lenient=True, max_line_bytes=1000)
    assert [row[2] for row in triples(records)] == ["a:b", "a:c"]
    assert left_out.counts == {kind: 1}
    assert left_out.examples[kind][0].startswith("line 2: ")


def test_a_good_file_is_read_the_same_leniently(tmp_path: Path) -> None:
    text = '<a:a> <a:p> "x \\u00e9 \\n"@en .\n<a:a> <a:p> <a:b%20c> .\n_:b <a:p> "1"^^<a:t> . # note\n'
    file = tmp_path / "kb.nt"
    file.write_text(text)
    assert read(file, lenient=True) == read(file)


def test_graph_names_of_quads_are_mended(tmp_path: Path) -> None:
    file = tmp_path / "dump.nq"
    file.write_text("<a:a> <a:p> <a:b c> <a:g h> .\n")
    records, left_out = read(file, lenient=True)
    assert triples(records) == [("a:a", "a:p", "a:b%20c")]
    assert left_out.counts == {IRIS: 2, "graph names of statements": 1}


def test_a_dump_of_dbpedia_in_turtle_is_read_by_lines(tmp_path: Path) -> None:
    file = tmp_path / "labels_en.ttl"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    file.write_text(
        f'# started 2017-07-06\n<{R}A|B> {label} "A or B"@en .\nno RDF .\n<{R}C> {label} "C"@en .\n'
        f"<{R}C> {P} <{R}A|B> .\n" + "".join(f'<{R}D{i}> {label} "D{i}"@en .\n' for i in range(20))
    )
    with fails("reader.not_rdf"):
        read(file)
    file.write_text(file.read_text().replace("no RDF .\n", f'<{R}E> {label} "broken .\n'))
    records, left_out = read(file, lenient=True)
    assert triples(records) == [(f"{R}C", P.strip("<>"), f"{R}A%7CB")]
    assert names(records, f"{R}A%7CB")[0] == "A or B"
    assert left_out.counts == {IRIS: 2, "lines that are not RDF, even when mended": 1}


WIKIDATA = """
<https://www.wikidata.org/wiki/Special:EntityData/Q42> <http://schema.org/about> <http://www.wikidata.org/entity/Q42> .
<http://www.wikidata.org/entity/Q42> <http://www.w3.org/2000/01/rdf-schema#label> "Douglas Adams"@en .
<http://www.wikidata.org/entity/Q42> <http://www.w3.org/2000/01/rdf-schema#label> "Douglas Adams"@map-bms .
<http://www.wikidata.org/entity/Q42> <http://www.w3.org/2000/01/rdf-schema#label> "道格拉斯"@zh_min_nan .
<http://www.wikidata.org/entity/Q42> <http://schema.org/description> "British writer"@en- .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P856> <http://www.example.org/a b/{c}|d> .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P18> <http://c.example.org/Foo"bar".jpg> .
<http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P580> \
"-13798000000-00-00T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
<http://www.wikidata.org/entity/Q84> <http://www.wikidata.org/prop/direct/P625> \
"Point(-0.1 51.5)"^^<http://www.opengis.net/ont/geosparql#wktLiteral> .
<http://www.wikidata.org/entity/Q84> <http://www.wikidata.org/prop/direct/P1448> "Lon\\don"@en .
<http://www.wikidata.org/entity/Q84> <http://www.wikidata.org/prop/direct/P17> <http://www.wikidata.org/ent
"""


def test_lines_of_wikidata(tmp_path: Path) -> None:
    file = tmp_path / "latest-truthy.nt"
    file.write_text(WIKIDATA.lstrip(), encoding="utf-8")
    records, left_out = read(file, lenient=True)
    tails = [tail for _, _, tail in triples(records)]
    assert "http://www.example.org/a%20b/%7Bc%7D%7Cd" in tails
    assert "http://c.example.org/Foo%22bar%22.jpg" in tails
    assert len(tails) == 7
    assert '"British writer"@en' in tails  # a description, which is a value too where there are several languages
    assert names(records, "http://www.wikidata.org/entity/Q42") == ("Douglas Adams", {"道格拉斯"})
    assert left_out.counts == {TAGS: 2, IRIS: 2, TEXTS: 1, "lines that are not RDF, even when mended": 1}


def test_a_turtle_document_is_mended_as_far_as_its_terms_go(tmp_path: Path) -> None:
    file = tmp_path / "kb.ttl"
    file.write_text(f'{PREFIXES} :a :p <{R}A|B>, "x"@zh_min_nan, "y"@en-, "z"@ ;\n :q "mail \\"@a_b" .')
    records, left_out = read(file, lenient=True)
    assert [row[2] for row in triples(records)] == [
        f"{R}A%7CB", '"x"@zh-min-nan', '"y"@en', '"z"', '"mail \\"@a_b"'
    ]  # fmt: skip
    assert left_out.counts == {IRIS: 1, TAGS: 3}


def test_n3_without_rules_and_formulas(tmp_path: Path) -> None:
    file = tmp_path / "kb.n3"
    text = ":ada :knows :bo . { :bo :knows :ada } => { :ada :likes :bo } . :ada :thinks { :a :p :b } . :bo = :b ."
    file.write_text(PREFIXES + text)
    records, left_out = read(file)
    same = ("bo", "http://www.w3.org/2002/07/owl#sameAs", "b")
    assert [row for row in triples(records) if "_:" not in row[2]] == [("ada", "knows", "bo"), same]
    assert left_out.counts == {"statements inside formulas of N3": 3, "rules of N3": 1}
    file.write_text(PREFIXES + "{ ?x :knows ?y } => { ?y :knows ?x } .")
    with fails("reader.not_rdf"):
        read(file)


JSON_LD = """{"@context": CONTEXT, "@id": "http://example.org/ada", "@type": "Person", "name": "Ada Rowe",
  "knows": {"@id": "http://example.org/bo", "name": "Bo Lind"}, "age": 36}"""


@pytest.mark.parametrize(
    "context", ['{"@vocab": "http://schema.org/"}', '"https://schema.org/"', '"http://schema.org"']
)
@pytest.mark.parametrize("name", ["kb.jsonld", "kb.json"])
def test_json_ld(tmp_path: Path, context: str, name: str) -> None:
    file = tmp_path / name
    file.write_text(JSON_LD.replace("CONTEXT", context))
    records, _ = read(file)
    assert set(triples(records)) == {
        ("ada", "http://schema.org/knows", "bo"),
        ("ada", "http://schema.org/age", '"36"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    }
    assert names(records, f"{EX}ada")[0] == "Ada Rowe"


def test_values_of_json_ld_without_a_mapped_name_are_counted(tmp_path: Path) -> None:
    context = """{"name": {"@id": "http://schema.org/name", "@container": "@language"}, "id": "@id", "odd": null,
      "raw": {"@id": "http://x.org/raw", "@type": "@json"}, "knows": "http://schema.org/knows"}"""
    file = tmp_path / "kb.jsonld"
    file.write_text(
        f"""{{"@context": {context}, "@graph": [{{"id": "http://x.org/a", "name": {{"en": "Ada", "ru": "Ада"}},
          "age": 36, "odd": 1, "empty": null, "raw": {{"free": 1}}, "ex:ok": true,
          "knows": {{"id": "http://x.org/b", "mail": {{"home": "b@x.org"}}}}}},
          {{"@context": {{"@vocab": "http://x.org/"}}, "id": "http://x.org/c", "age": 1}}]}}"""
    )
    records, left_out = read(file)
    assert ("http://x.org/a", "http://schema.org/knows", "http://x.org/b") in records
    assert left_out.examples == {UNMAPPED: ["age", "odd", "mail"]}


def test_a_context_on_the_web_is_not_fetched(tmp_path: Path) -> None:
    file = tmp_path / "kb.jsonld"
    file.write_text(JSON_LD.replace("CONTEXT", '"https://example.org/context.jsonld"'))
    with fails("reader.remote_context"):
        read(file)
