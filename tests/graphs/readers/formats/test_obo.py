"""OBO 1.2 and 1.4."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from faults import fails
from graph_files import ENDS, read_file

from graphbrick import EntityRecord
from graphbrick.core.errors import InputError

FULL = r"""format-version: 1.4
ontology: zoo
default-namespace: zoo

! a comment
[Term]
id: Z:1
name: animal

[Term]
id: Z:2
name: big cat \{wild\} ! not a comment
namespace: cats
alt_id: Z:20
def: "A cat that says \"roar\", not \"meow\"." [Z:curators, PMID:1 "a title, long"] {source="x"}
comment: Note! It bites.
subset: slim
synonym: "panther" EXACT []
synonym: "großkatze" RELATED GE [Z:a]
xref: W:9 "of Wikidata"
xref: http\://e/2
is_a: Z:1 {source="PMID:2", checked="2020-01-02"} ! animal
intersection_of: Z:1
intersection_of: eats Z:3
relationship: eats Z:3 ! rabbit
relationship: near Z:9
property_value: weight "190.5" xsd:decimal
property_value: legs "4" xsd:integer
property_value: seen "2020-02-03" xsd:date
property_value: page http://e/2
property_value: page http://e/3
created_by: ann
creation_date: 2019-05-06T07:08:09Z
odd_tag: x

[Term]
id: Z:3
name: rabbit
is_obsolete: true
replaced_by: Z:1

[Instance]
id: Z:i
name: Leo
instance_of: Z:2

[Typedef]
id: eats
name: feeds on
is_transitive: true

[Typedef]
id: unused
name: never used

[Annotation]
id: x
"""


def test_terms_triples_and_properties_of_a_file_with_all_features(tmp_path: Path) -> None:
    read = read_file(tmp_path / "zoo.obo", FULL)
    assert read.nodes == {
        "Z:1": EntityRecord("Z:1", "animal", types=("zoo",)),
        "Z:2": EntityRecord(
            "Z:2",
            "big cat {wild} ! not a comment",
            ("panther", "großkatze"),
            ("cats",),
            'A cat that says "roar", not "meow".',
            {
                "alt_id": ("Z:20",),
                "def_xref": ("Z:curators", "PMID:1"),
                "comment": "Note! It bites.",
                "subset": ("slim",),
                "xref": ("W:9", "http://e/2"),
                "weight": 190.5,
                "legs": 4,
                "seen": datetime.date(2020, 2, 3),
                "page": ("http://e/2", "http://e/3"),
                "created_by": "ann",
                "creation_date": datetime.datetime(2019, 5, 6, 7, 8, 9, tzinfo=datetime.UTC),
            },
        ),
        "Z:3": EntityRecord("Z:3", "rabbit", types=("zoo",), properties={"is_obsolete": True}),
        "Z:i": EntityRecord("Z:i", "Leo", types=("zoo",)),
    }
    assert read.edges == [
        ("Z:2", "is_a", "Z:1", {"source": "PMID:2", "checked": datetime.date(2020, 1, 2)}),
        ("Z:2", "eats", "Z:3", {}),
        ("Z:2", "near", "Z:9", {}),
        ("Z:3", "replaced_by", "Z:1", {}),
        ("Z:i", "instance_of", "Z:2", {}),
    ]
    assert read.relations == {"eats": "feeds on"}
    assert read.left_out == {
        "tags of the header": 2,
        "qualifiers of tags": 1,
        "scopes, types and sources of synonyms": 2,
        "tags that are not read": 3,
        "tags of relations": 1,
        "frames of unknown kinds": 1,
        ENDS: 1,
    }


TERM = "[Term]\nid: A:1\nname: a\n"


@pytest.mark.parametrize(
    ("line", "description", "aliases", "edges"),
    [
        ('def: "no sources"', "no sources", (), []),
        ('def: "say "x" so" [A:x]', 'say "x" so', (), []),
        ("def: no quotes", "no quotes", (), []),
        ('synonym: "x" []', None, ("x",), []),
        ('exact_synonym: "x" []', None, ("x",), []),
        ("is_a: A:2 {is_inferred=true} ! b", None, (), []),
        ("is_a: A:2! b", None, (), []),
    ],
)
def test_lines_that_strict_readers_refuse_are_read(
    tmp_path: Path, line: str, description: str | None, aliases: tuple[str, ...], edges: list[object]
) -> None:
    read = read_file(tmp_path / "x.obo", TERM + line + "\n", skip=True)
    assert (read.nodes["A:1"].description, read.nodes["A:1"].aliases) == (description, aliases)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("format-version: 1.2\n", "obo.no_terms"),
        ("[Term]\nname: a\n", "obo.no_id"),
        (TERM + "relationship: part_of\n", "obo.bad_edge"),
        (TERM + "is_a:\n", "obo.bad_edge"),
        (TERM + "property_value: weight\n", "obo.bad_property"),
        (TERM + "no tag here\n", "obo.bad_line"),
    ],
)
def test_a_fault_has_a_code(tmp_path: Path, text: str, code: str) -> None:
    with fails(code, InputError):
        read_file(tmp_path / "x.obo", text)
    if code != "obo.no_terms":
        read = read_file(tmp_path / "x.obo", text + "\n[Term]\nid: A:2\n", skip=True)
        assert read.bad == [code]
        assert "A:2" in read.nodes


def test_second_values_of_tags_that_have_one_are_counted(tmp_path: Path) -> None:
    read = read_file(tmp_path / "x.obo", "[Term]\nid: A:1\nname: one\nname: two\n")
    assert read.nodes["A:1"].label == "one"
    assert read.left_out == {"second values of tags that have one": 1}
