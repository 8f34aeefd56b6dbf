"""Addresses of graphs in databases."""

from __future__ import annotations

import pytest
from faults import fails

import graphbrick
from graphbrick.core.errors import InputError
from graphbrick.graphs.databases.address import Address, is_address


@pytest.mark.parametrize(
    "text",
    [
        "bolt://localhost:7687/films",
        "bolt+ssc://localhost/films",
        "neo4j+s://graph.example.org/films?label=title&key=id",
        "falkor://localhost:6379/films",
        "sparql+https://dbpedia.org/sparql",
        "ladybug:films.lbdb",
        "oxigraph:/data/my films?label=title",
        "sparql+https://example.org/sparql?label=http://www.w3.org/2004/02/skos/core#prefLabel&timeout=60",
        "sparql+http://example.org/sparql?graph=http://example.org/g?a=1%26b=2%2B3%25",
        "falkor://localhost:6379/films#2",
        "ladybug:a%3Fb%25#c.db",
    ],
)
def test_an_address_is_read_and_written(text: str) -> None:
    assert is_address(text)
    assert str(Address.read(text)) == text


def test_an_option_keeps_the_part_of_an_iri_after_its_hash() -> None:
    address = Address.read("sparql+https://example.org/sparql?label=http://www.w3.org/2004/02/skos/core#prefLabel")
    assert address.options == (("label", "http://www.w3.org/2004/02/skos/core#prefLabel"),)


def test_a_wrong_host_is_refused_without_showing_it() -> None:
    with fails("address.bad_host", InputError) as error:
        Address.read("bolt://me:secret@[::1/films")
    assert "secret" not in str(error.value)


def test_the_parts_of_an_address() -> None:
    address = Address.read("bolt://localhost:7687/films?label=title")
    assert address == Address("bolt", "localhost:7687", "films", (("label", "title"),))
    assert Address.read("ladybug:a/b.db").name == "a/b.db"


@pytest.mark.parametrize("text", ["films.graph", "C:\\films.graph", "a/b:c", "bolt:"])
def test_a_folder_is_no_address(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize(
    "text", ["bolt://me:secret@localhost/films", "bolt://localhost/films?password=secret", "falkor://h/g?USER=secret"]
)
def test_a_password_in_an_address_is_refused_and_not_shown(text: str) -> None:
    with fails("address.has_password", InputError) as error:
        Address.read(text)
    assert "secret" not in f"{error.value} {error.value.values}"


def test_an_unknown_scheme_is_refused_and_not_taken_for_a_folder() -> None:
    with fails("address.unknown_scheme", InputError, scheme="cassandra"):
        Address.read("cassandra://localhost/films")
    with fails("address.unknown_scheme", InputError, scheme="neo4j+tls"):
        graphbrick.open("neo4j+tls://localhost/films")
