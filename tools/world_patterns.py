"""Patterns and wordings of the questions over the world graph, for `world_questions`."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """Texts in which "{}" stands for the seed, how many questions to write, and what may come out of each step."""

    texts: tuple[str, ...]
    seed: str
    path: str
    count: int = 2


# The path is a list of "relation direction size"; "1" is exactly one entity, "2" at least two, and "+" at least one.
_ONE = (
    Pattern(("What is the capital of {}?", "Which city is the capital of {}?"), "country", "capital out 1"),
    Pattern(("Which currency is used in {}?", "What do people pay with in {}?"), "country", "currency out 1"),
    Pattern(("Which countries use the {}?", "Where is the {} the currency?"), "currency", "currency in 2", 3),
    Pattern(
        ("What languages are spoken in {}?", "Which languages do people speak in {}?"), "country", "language out 2"
    ),
    Pattern(("In which countries is {} spoken?", "Where do people speak {}?"), "language", "language in 2", 4),
    Pattern(("Which countries border {}?", "What are the neighbours of {}?"), "country", "borders out 2", 4),
    Pattern(("Which time zone is {} in?", "What is the time zone of {}?"), "capital", "time zone out 1"),
    Pattern(("Which airports serve {}?", "What airports can I fly to for {}?"), "capital", "serves in 2", 4),
    Pattern(("Which country is {} in?", "In which country does {} lie?"), "capital", "country out 1"),
    Pattern(("On which continent is {}?",), "country", "continent out 1", 1),
    Pattern(("What is the calling code of {}?", "Which code do I dial to call {}?"), "country", "calling code out 1"),
    Pattern(("Which internet domain belongs to {}?",), "country", "internet domain out 1", 1),
    Pattern(("Which time zones are there in {}?",), "country", "time zone out 2", 2),
    Pattern(("Which counties make up the state of {}?", "What are the counties of {}?"), "state", "county of in 2"),
)
_TWO = (
    Pattern(
        (
            "Which currency is used in the country whose capital is {}?",
            "{} is the capital of a country: what is its money?",
        ),
        "capital",
        "capital in 1, currency out 1",
        3,
    ),
    Pattern(
        ("Which languages are spoken in the country whose capital is {}?",), "capital", "capital in 1, language out 2"
    ),
    Pattern(
        (
            "Which countries border the country whose capital is {}?",
            "{} is the capital of a country. Who are its neighbours?",
        ),
        "capital",
        "capital in 1, borders out 2",
        3,
    ),
    Pattern(
        ("Which time zone is the capital of {} in?", "What time zone do they keep in the capital of {}?"),
        "country",
        "capital out 1, time zone out 1",
    ),
    Pattern(
        ("Which airports serve the capital of {}?", "I want to fly to the capital of {}. Which airports are there?"),
        "country",
        "capital out 1, serves in 2",
        3,
    ),
    Pattern(
        ("What are the capitals of the countries that border {}?", "Name the capitals of the neighbours of {}."),
        "country",
        "borders out 2, capital out 2",
        3,
    ),
    Pattern(
        ("Which currencies are used in the countries that border {}?", "What money do the neighbours of {} use?"),
        "country",
        "borders out 2, currency out 2",
        3,
    ),
    Pattern(
        ("What languages are spoken in the countries that border {}?",), "country", "borders out 2, language out 2", 2
    ),
    Pattern(
        ("On which continent is the country whose currency is the {}?",),
        "currency",
        "currency in 1, continent out 1",
        2,
    ),
    Pattern(
        ("Which languages are spoken where people pay with the {}?",), "currency", "currency in 1, language out 2", 2
    ),
    Pattern(
        ("Which cities are the capitals of the countries where {} is spoken?",),
        "language",
        "language in 2, capital out 2",
        2,
    ),
    Pattern(
        ("What is the capital of the country with the internet domain {}?",),
        "domain",
        "internet domain in 1, capital out 1",
    ),
    Pattern(
        ("I got a call from a number with {}. What is the capital of that country?",),
        "calling code",
        "calling code in 1, capital out 1",
        1,
    ),
    Pattern(("In which country is the city that {} serves?",), "airport", "serves out 1, country out 1", 2),
    Pattern(("Which other counties are in the same state as {}?",), "county", "county of out 1, county of in 2", 1),
)
_THREE = (
    Pattern(
        (
            "Which currencies are used by the neighbours of the country whose capital is {}?",
            "What currencies do I need in the countries that border the one with the capital {}?",
        ),
        "capital",
        "capital in 1, borders out 2, currency out 2",
        4,
    ),
    Pattern(
        (
            "What are the capitals of the countries that border the country whose capital is {}?",
            "Take the country whose capital is {}. Which capitals do its neighbours have?",
        ),
        "capital",
        "capital in 1, borders out 2, capital out 2",
        4,
    ),
    Pattern(
        ("Which languages are spoken in the countries next to the one whose capital is {}?",),
        "capital",
        "capital in 1, borders out 2, language out 2",
        2,
    ),
    Pattern(
        ("What are the capitals of the countries that border the country whose currency is the {}?",),
        "currency",
        "currency in 1, borders out 2, capital out 2",
        3,
    ),
    Pattern(
        (
            "Which time zone is the capital of the country that uses the {} in?",
            "In what time zone is the capital of the country that pays with the {}?",
        ),
        "currency",
        "currency in 1, capital out 1, time zone out 1",
        3,
    ),
    Pattern(
        ("Which airports serve the capital of the country whose currency is the {}?",),
        "currency",
        "currency in 1, capital out 1, serves in +",
        3,
    ),
    Pattern(
        ("Which other currencies are used around the country whose currency is the {}?",),
        "currency",
        "currency in 1, borders out 2, currency out 2",
    ),
    Pattern(
        ("Which airports serve the capitals of the countries that border {}?",),
        "country",
        "borders out 2, capital out 2, serves in 2",
        3,
    ),
    Pattern(
        ("In which time zones are the capitals of the neighbours of {}?",),
        "country",
        "borders out 2, capital out 2, time zone out 2",
        2,
    ),
    Pattern(
        ("What are the capitals of the neighbours of the country where {} is spoken?",),
        "main language",
        "language in 1, borders out 2, capital out 2",
        2,
    ),
    Pattern(
        ("Which currency is used in the country of the city that {} serves?",),
        "airport",
        "serves out 1, country out 1, currency out 1",
        2,
    ),
    Pattern(
        ("Which countries border the one with the city that {} serves?",),
        "airport",
        "serves out 1, country out 1, borders out 2",
        2,
    ),
    Pattern(
        ("Which currencies are used in the countries that border the one with the internet domain {}?",),
        "domain",
        "internet domain in 1, borders out 2, currency out 2",
        2,
    ),
)
PATTERNS = (_ONE, _TWO, _THREE)
"""The patterns of one, two and three hops."""

# Path from a country to the seeds of each kind.
SEEDS = {
    "country": "",
    "capital": "capital out",
    "currency": "currency out",
    "language": "language out",
    "main language": "language out",  # the first
    "domain": "internet domain out",
    "calling code": "calling code out",
    "airport": "capital out, serves in",
    "state": "part of in",
    "county": "part of in, county of in",
}


def steps(text: str) -> list[tuple[str, ...]]:
    """The steps of "time zone out 1, country in 2": relation, way and, where given, size."""
    parts = [re.fullmatch(r"(.+) (in|out)(?: (\S))?", part) for part in text.split(", ") if part]
    return [(m[1], m[2], m[3] or "+") for m in parts if m]
