"""A schema as text: what is said, and what is left out because it says nothing."""

from __future__ import annotations

from graphbrick.core.schema import Connection, NodeClass, Property, Schema
from graphbrick.graphs.queries.schema_text import name_property, schema_text

LABEL, KEY = Property("label", "STRING", ("Kenya",)), Property("key", "STRING", ("country:KE",))
LISTED = Property("aliases", "STRING[]", ("KE",))
SCHEMA = Schema(
    (
        NodeClass("country", (KEY, LABEL, LISTED, Property("area", "INT64", ("582650", "236040", "26338"))), 250),
        NodeClass("city", (KEY, Property("label", "STRING", ("Nairobi", "A name that is much too long")), LISTED), 900),
        NodeClass("code", (KEY, Property("label", "STRING", ("+254",))), 234),
    ),
    (Connection("country", "has capital", "city", (Property("since", "DATE", ("1963-12-12",)),), 249),),
)


def test_what_classes_share_is_said_once_and_relations_keep_their_properties() -> None:
    assert schema_text(SCHEMA, "Cypher", counts=False).splitlines() == [
        "Properties of nodes: label (the name), key, aliases: STRING[] (of most classes)",
        "Classes:",
        "(:country {label: 'Kenya', area: INT64 such as 582650 or 236040})",
        "(:city {label: 'Nairobi' or 'A name that is much t...'})",
        "(:code {label: '+254'})",
        "Relations:",
        "(:country)-[:`has capital` {since: DATE such as '1963-12-12'}]->(:city)",
    ]


def test_people_are_told_how_many_there_are() -> None:
    lines = schema_text(SCHEMA, "Cypher").splitlines()
    assert lines[4] == "(:code {label: '+254'}); 234 nodes" or lines[4].endswith("; 234 nodes")
    assert lines[-1].endswith("->(:city); 249 triples")


def test_a_property_of_one_class_among_many_stays_with_it() -> None:
    classes = tuple(NodeClass(f"C{i}", (Property("title"),)) for i in range(4))
    rare = NodeClass("D", (Property("title"), Property("title_2", "STRING", ("x",))))
    text = schema_text(Schema((*classes, rare)), "Cypher")
    assert text.splitlines()[0] == "Properties of nodes: title (the name)"
    assert "(:D {title, title_2: 'x'})" in text


def test_a_key_that_repeats_the_name_is_left_out() -> None:
    same = ("Kismet", "Heat")
    films = NodeClass("Film", (Property("key", "STRING", same), Property("label", "STRING", same)))
    assert schema_text(Schema((films,)), "Cypher") == "Classes:\n(:Film {label: 'Kismet' or 'Heat'})"


def test_sparql_names_have_prefixes() -> None:
    base = "http://example.org/"
    classes = (NodeClass(f"{base}Film", (Property(f"{base}title", "xsd:string", ("Heat",)),), 3),)
    text = schema_text(Schema(classes, (Connection(f"{base}Film", f"{base}sequel", f"{base}Film"),)), "SPARQL")
    assert text.splitlines() == [
        f"PREFIX p1: <{base}>",
        "Classes:",
        "p1:Film {p1:title: 'Heat'}; 3 nodes",
        "Relations:",
        "p1:Film p1:sequel p1:Film",
    ]


def test_the_property_with_names_is_the_best_known_one() -> None:
    known = NodeClass("Film", (Property("title"), Property("year"), Property("name")))
    assert name_property(known) == "name"
    assert name_property(NodeClass("Film", (Property("year"),))) == ""
