"""Relation labels read as English."""

from __future__ import annotations

import pytest

from graphbrick.patterns.english.labels import read_label
from graphbrick.patterns.words_file import RelationWords


@pytest.mark.parametrize(
    ("label", "tail", "head", "verb", "subject", "preposition"),
    [
        ("directed_by", "director", "", "direct", "tail", ""),
        ("written by", "writer", "", "write", "tail", ""),
        ("starred_actors", "actor", "", "star", "tail", "in"),
        ("spouse", "spouse", "", "marry", "head", ""),
        ("children", "child", "parent", "raise", "head", ""),
        ("has_genre", "genre", "", "", "", ""),
        ("in_language", "language", "", "", "", ""),
        ("worksIn", "", "employee", "work", "head", "in"),
        ("owns", "", "owner", "own", "head", ""),
        ("reports to", "boss", "report", "report", "head", "to"),
        ("located in", "location", "", "locate", "", "in"),
        ("place of birth", "place of birth", "", "bear", "", "in"),
        ("people.person.place_of_birth", "place of birth", "", "bear", "", "in"),
        ("date of death", "date of death", "", "die", "", "in"),
        ("release_year", "release year", "", "release", "", "in"),
        ("capital of", "", "capital", "", "", ""),
        ("member of", "group", "member", "", "", ""),
        ("film.film.starring..film.performance.actor", "actor", "film", "star", "tail", "in"),
        ("film.actor.film..film.performance.film", "film", "actor", "", "", ""),
        ("group.founder.organizations_founded", "organization", "founder", "found", "head", ""),
        ("people.person.spouse_s..people.marriage.spouse", "spouse", "", "marry", "head", ""),
        ("countries spoken in", "country", "", "speak", "", "in"),
        ("people with this profession", "person", "profession", "", "", ""),
        ("treats disease", "disease", "treater", "treat", "head", ""),
        ("downregulates gene", "gene", "", "downregulate", "head", ""),
        ("languages spoken", "language", "", "speak", "head", ""),
        ("sports team", "sports team", "", "", "", ""),
        ("composer", "composer", "", "compose", "tail", ""),
        ("mother", "mother", "child", "", "", ""),
        ("employer", "employer", "employee", "work", "head", "for"),
        ("official language", "official language", "", "", "", ""),
        ("OWNS", "", "owner", "own", "head", ""),
        ("MEMBER_OF", "group", "member", "", "", ""),
        ("isOn", "", "", "", "", "on"),
        ("is from", "", "", "", "", "from"),
        ("hasPart", "part", "", "", "", ""),
        ("dc:creator", "creator", "", "create", "tail", ""),
        ("http://example.org/terms#worksFor", "employer", "employee", "work", "head", "for"),
        ("rel_works_at", "employer", "employee", "work", "head", "at"),
        ("P31 instance of", "", "instance", "", "", ""),
        ("drove for", "", "driver", "drive", "head", "for"),
        ("played for", "", "player", "play", "head", "for"),
        ("winning team", "winning team", "", "win", "tail", ""),
        ("second place", "second place", "", "", "", ""),
        ("capital city", "capital city", "", "", "", ""),
    ],
)
def test_known_labels(label: str, tail: str, head: str, verb: str, subject: str, preposition: str) -> None:
    found = read_label(label)
    assert (found.tail[:1], found.head[:1]) == ([tail] if tail else [], [head] if head else [])
    assert (found.verb, found.subject, found.preposition) == (verb, subject, preposition)


@pytest.mark.parametrize("label", ["CbG", "GiG", "P31", "123", "->", "_", "", "…", "\ud800", "x" * 5000])
def test_labels_without_words_are_no_error(label: str) -> None:
    assert isinstance(read_label(label), RelationWords)


@pytest.mark.parametrize("label", ["CbG", "CtD", "123", "P31", "wdt:P31"])
def test_codes_have_no_words(label: str) -> None:
    assert read_label(label).is_empty


def test_headquarters_are_a_noun_with_other_words() -> None:
    assert read_label("headquarters").tail == ["headquarters", "head office", "main office"]


def test_a_film_stars_its_actors() -> None:
    assert read_label("starred_actors").tail_questions == ["@ starred who", "@ starred which actors"]
