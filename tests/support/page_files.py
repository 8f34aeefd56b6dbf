"""What the examples of a page of the reference find in their folder: graphs, questions and tables."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path

from film_database import CypherFilms

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

FILMS = [
    ("Heat", "directed_by", "Michael Mann"),
    ("Heat", "starring", "Al Pacino"),
    ("Ronin", "starring", "Robert De Niro"),
    ("Heat", "starring", "Robert De Niro"),
    ("Serpico", "directed_by", "Sidney Lumet"),
    ("Serpico", "starring", "Al Pacino"),
    ("Inception", "directed_by", "Christopher Nolan"),
    ("Inception", "starring", "Elliot Page"),
    ("Sleepless in Seattle", "starring", "Tom Hanks"),
    ("Sleepless in Seattle", "starring", "Meg Ryan"),
]


def _films() -> None:
    build(FILMS, "films.graph")
    questions = [
        {"question": f"Who directed {film}?", "seeds": [film], "answers": [person], "hops": 1}
        for film, relation, person in FILMS
        if relation == "directed_by"
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions), encoding="utf-8")


def _film_tables() -> None:
    Path("kb.txt").write_text("".join("|".join(triple) + "\n" for triple in FILMS), encoding="utf-8")
    Path("more.csv").write_text("head,relation,tail\nHeat,filmed in,Los Angeles\n", encoding="utf-8")


def _lists() -> None:
    """A graph with two properties that are lists."""
    _films()
    days = (datetime.date(2020, 5, 31), datetime.date(2021, 1, 2))
    kettle = EntityRecord("k", "Blue Kettle", (), ("Product",), None, {"tags": ("steel", "kitchen")})
    sold = [EdgeRecord("lee", "bought", "k", {"days": days}), ("lee", "likes", "lamp"), ("ada", "likes", "lamp")]
    build([kettle, *sold], "shop.graph")


def _graphml() -> None:
    Path("shop.graphml").write_text(
        """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="a" for="node" attr.name="label" attr.type="string"/>
<key id="b" for="node" attr.name="kind" attr.type="string"/>
<key id="c" for="node" attr.name="price" attr.type="double"/>
<key id="d" for="node" attr.name="added" attr.type="string"/>
<key id="e" for="edge" attr.name="relation" attr.type="string"/>
<key id="f" for="edge" attr.name="since" attr.type="int"/>
<graph edgedefault="directed">
<node id="lee"><data key="a">Lee</data><data key="b">Person</data></node>
<node id="kettle"><data key="a">Blue Kettle</data><data key="b">Product</data><data key="c">24.5</data>
<data key="d">2020-05-31</data></node>
<edge id="k1" source="lee" target="kettle"><data key="e">bought</data><data key="f">2020</data></edge>
<edge id="k2" source="lee" target="kettle"><data key="e">bought</data><data key="f">2021</data></edge>
</graph></graphml>""",
        encoding="utf-8",
    )


def _shop_and_teams() -> None:
    teams = [("Platform Team", "owns", f"Service {letter}") for letter in "ABC"]
    founded = [(f"{name} Team", "founded", year) for name, year in (("Platform", "2008"), ("Search", "2012"))]
    paid = [(f"Person {n}", "salary", f"${n}1,000") for n in (5, 6, 7)]
    build([*teams, *founded, *paid], "org.graph")
    kettle = EntityRecord(
        "kettle",
        "Blue Kettle",
        (),
        ("Product",),
        "A kettle with a whistle.",
        {"price": 24.5, "inStock": True, "colour": "blue"},
    )
    sellers = ["Orlen Trading", "Bergmann & Co", "Nord Supply", *(f"Dealer {n}" for n in range(9))]
    build(
        [kettle, ("Ada Rowe", "bought", "kettle"), *((seller, "sells", "kettle") for seller in sellers)], "shop.graph"
    )


def _store() -> None:
    import pyoxigraph

    store = pyoxigraph.Store("films.store")
    store.load(
        b"""@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:alien rdfs:label "Alien" ; :directed_by :scott ; :minutes 117 ; :released "1979-05-25"^^xsd:date .
:heat rdfs:label "Heat" ; :minutes 170 .
:scott rdfs:label "Ridley Scott" .
:directed_by rdfs:label "directed by" .
:minutes rdfs:label "running time" .
""",
        format=pyoxigraph.RdfFormat.TURTLE,
    )
    store.flush()


def _database() -> None:
    CypherFilms(Path("films.lbdb").resolve())


FILES: dict[str, Callable[[], None]] = {
    "docs/evaluate.md": _films,
    "docs/export.md": _lists,
    "docs/formats.md": _graphml,
    "docs/graphs.md": _film_tables,
    "docs/learn.md": _film_tables,
    "docs/linking.md": _films,
    "docs/operators.md": _shop_and_teams,
    "docs/sparql.md": _store,
    "docs/stability.md": _films,
    "docs/text-to-query.md": _database,
    "docs/train.md": _films,
}
"""What makes the files of a page, in the current folder."""
