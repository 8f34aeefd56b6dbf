"""Small words of English by what they do in a sentence."""

from __future__ import annotations

from graphbrick.bricks.retrieve.operators.amounts import HOW
from graphbrick.language.stems import stem

IS = frozenset("is are was were".split())
BE = IS | frozenset("be been being".split())
DO = frozenset("do does did can could will would".split())
AUXILIARIES = IS | DO | frozenset("has have had".split())
HAVE = frozenset("has have had having".split())
WITH = frozenset("with without having has have had".split())
NOT = frozenset("not never".split())
ADVERBS = frozenset(
    "currently now also ever still already actually really yet all both just somewhere anywhere directly".split()
)
THAT = frozenset("that which who".split())
JOINED = frozenset("and but".split())
PLACED = frozenset("in at on from of for by to under within inside through via with".split())
PLACES = frozenset("in at on from".split())
LIGHT = frozenset("located situated involved engaged active busy associated taking".split())
"""Words before a preposition that say no more than it does."""
MADE = frozenset("made built written working living".split())
"""Words before a preposition that add to a relation, but not to a value: «written in Rust»."""
DECADES = {
    said: 10.0 * (number + 2)
    for number, name in enumerate("twenties thirties forties fifties sixties seventies eighties nineties".split())
    for said in (name, f"{10 * (number + 2)}s")
}
WORKS = frozenset(map(stem, "work do take have".split()))
HAPPENS = frozenset(
    map(stem, "happen occur start begin take meet date fall belong lie sit come finish end result".split())
)
MOVES = frozenset(map(stem, "go run drive travel move last take".split()))
"""Stems of verbs before «faster than», «longer than», which say no more."""
STARTS = frozenset(map(stem, "join start begin sign hire".split()))
WORKING = frozenset("at for with in on to as working operating flying playing using".split())
UNKNOWN = frozenset("known recorded given stated registered".split())
THEIR = frozenset("their its his her".split())
QUANTITIES = frozenset(map(stem, "quantity qty amount count number units pieces copies".split()))
KINDS = {word: how for word, how in HOW.items() if how in ("sum", "mean", "median") and " " not in word}
GETS = frozenset(
    map(
        stem,
        "win draw attract hold seat count get receive earn score achieve obtain have spend put work invest".split(),
    )
)
DATED = {
    "last": True, "latest": True, "newest": True, "most recent": True, "most recently": True, "recently": True,
    "newly": True, "most lately": True, "lately": True, "first": False, "earliest": False,
}  # fmt: skip
DATE_NOUNS = ("date", "day", "time")
"""Words after the name of a date: «due date» of `due`."""
VALUES = frozenset("value values figure figures entry entries data measurement measurements".split())
"""Words for what a table has of a property."""
