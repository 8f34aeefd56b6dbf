"""Chains of relations over made-up graphs in three vocabularies: Hits@1 by the form of the question.

    python benchmarks/chains.py [--graph violins ...] [--each 40] [--hops 3] [--types] [--unlearned] [--json FILE]

Each graph has people, companies and works, and relations of its own; with --types, entities have types, as the rows of
tables have. A question is a chain of two or three relations from one entity, in one of these forms:

- ``possessive``: «Who is Ada Holt's master's employer?»
- ``of``: «the employer of the master of Ada Holt»
- ``mixed``: «the town of the employer of Ada Holt's master», with and without articles
- ``clause``: «Where does the master of Ada Holt live?»
- ``class``: «the owners of the violins built by Ada Holt»
- ``grand``: «Ada Holt's grandmother», «the employer of the great-grandson of Ada Holt»
- ``together``: «Who works together with Ada Holt?»
- ``share``: «Which violins share a builder with the Red Diamond?»
- ``same``: «Who has the same employer as Ada Holt?»

Right answers are those that walking the triples gives; for the last three the entity itself is not one of them. The
pipeline is the one that ``graphbrick ask`` runs. Seeds are given. Every question counts, one without an answer as 0;
«exact» is the share of questions whose answers are exactly the right ones.

The graph ``bands`` was kept apart while the forms were made to work.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from graphbrick import Graph, GraphbrickError, build
from graphbrick.learn.default import default_pipeline
from graphbrick.learn.learning import learn
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.study.metrics.sets import answer_scores

Triple = tuple[str, str, str]
Step = tuple[str, bool]

_FIRST = """Abel Britt Cato Dora Emil Freya Gero Heidi Inga Joost Kaia Lars Mina Nils Olga Per Runa Stig Tilda Uwe Vita
Wolf""".split()
_LAST = """Amsel Birk Cramer Dahl Eide Foss Grieg Hauge Iversen Juhl Krog Lunde Moen Nygard Olsen Poulsen Rask Solberg
Thorn""".split()
_TOWNS = (
    "Arvika Borgholm Drammen Eksjo Falun Gjovik Halden Kalmar Larvik Molde Narvik Porvoo Ribe Sorvik Tarnow".split()
)
FORMS = ("possessive", "of", "mixed", "clause", "class", "grand", "together", "share", "same")
_KIN = {"child": "child son daughter", "parent": "parent mother father"}
_MANY = 30  # answers that a question has at most


class Relation(NamedTuple):
    """A relation of a vocabulary.

    Attributes:
        label: Its label in the graph.
        head: The kind of its heads.
        tail: The kind of its tails.
        to_tail: What the tail is to the head: «employer».
        to_head: What the head is to the tail: «employee».
        asks: Clauses that ask for the tail of @.
        asks_head: Clauses that ask for the heads of @.
        clause: The heads of @ after the name of their kind: «built by @».
        together: What the heads do together: «who works together with».
        same: What they do in the same: «works for the same».
        many: How many tails a head has at most.
        share: The share of heads that have it.
    """

    label: str
    head: str
    tail: str
    to_tail: Sequence[str] = ()
    to_head: Sequence[str] = ()
    asks: Sequence[str] = ()
    asks_head: Sequence[str] = ()
    clause: str = ""
    together: str = ""
    same: str = ""
    many: int = 1
    share: float = 0.9


class Vocabulary(NamedTuple):
    """Words of one graph: kinds with both parts of their names, kin with how a triple points, other relations."""

    kinds: Mapping[str, tuple[str, str]]
    kin: Mapping[str, tuple[Step, ...]]
    relations: tuple[Relation, ...]


def _read() -> dict[str, Vocabulary]:
    """Return the vocabularies of chains.toml."""
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    read = {}
    for name, table in tables.items():
        kinds = {kind: (first, second) for kind, (first, second) in table["kinds"].items()}
        kin = {noun: tuple((label, forward) for label, forward in steps) for noun, steps in table["kin"].items()}
        read[name] = Vocabulary(kinds, kin, tuple(Relation(**relation) for relation in table["relations"]))
    return read


VOCABULARIES = _read()


def triples(words: Vocabulary, seed: int = 0) -> list[Triple]:
    """Return the triples of a graph: four generations of people, and what surrounds them."""
    rng = random.Random(seed)
    names = {"person": [f"{first} {last}" for first in _FIRST for last in _LAST]}
    for kind, (first, second) in words.kinds.items():
        names[kind] = [f"{one} {other}" for one in first.split() for other in second.split("|")] or list(_TOWNS)
    made = _families(words, names["person"], rng)
    people = sorted({name for head, _, tail in made for name in (head, tail)})
    names["person"] = people
    for relation in words.relations:
        if relation.head == relation.tail == "person" and not relation.share:
            continue  # spouses are made with the families
        for head in names[relation.head]:
            if rng.random() < relation.share:
                tails = [name for name in names[relation.tail] if name != head]
                made += [(head, relation.label, tail) for tail in rng.sample(tails, rng.randint(1, relation.many))]
    return list(dict.fromkeys(made))


def _families(words: Vocabulary, names: Sequence[str], rng: random.Random) -> list[Triple]:
    """Return couples and their children."""
    fresh = iter(rng.sample(list(names), len(names)))
    spouses = [one.label for one in words.relations if one.head == one.tail == "person" and not one.share]
    generation, made = [next(fresh) for _ in range(60)], list[Triple]()
    for _ in range(3):
        rng.shuffle(generation)
        born: list[str] = []
        for mother, father in zip(generation[::2], generation[1::2], strict=False):
            made += [(one, label, other) for label in spouses for one, other in ((mother, father), (father, mother))]
            for child, _ in zip(fresh, range(rng.choice((1, 2, 2, 3))), strict=False):
                born.append(child)
                parents = {"mother": (mother,), "father": (father,)}
                for label, forward in words.kin["child"]:
                    for parent in parents.get(label, (mother, father)):
                        made.append((parent, label, child) if forward else (child, label, parent))
        generation = born
    return made


def build_typed(words: Vocabulary, made: Sequence[Triple], folder: Path, place: Path) -> Graph:
    """Return the graph of triples whose entities have their kinds as types, built from two tables in a folder."""
    kinds = {one.label: (one.head, one.tail) for one in words.relations}
    types: dict[str, str] = {}
    for head, label, tail in made:
        types[head], types[tail] = kinds.get(label, ("person", "person"))
    folder.mkdir()
    for name, rows in {
        "nodes": [("id", "type"), *types.items()],
        "edges": [("source", "relation", "target"), *made],
    }.items():
        (folder / f"{name}.csv").write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    return build(folder, place)


class _Noun(NamedTuple):
    """What the next entity of a chain is to the one before it."""

    noun: str
    steps: tuple[Step, ...]
    before: str
    after: str


class Chains:
    """A writer of questions over one graph, with their answers."""

    def __init__(self, words: Vocabulary, graph: Sequence[Triple], seed: int) -> None:
        self._words, self._rng = words, random.Random(seed + 1)
        self._ends: dict[tuple[str, Step], set[str]] = defaultdict(set)
        for head, relation, tail in graph:
            self._ends[head, (relation, True)].add(tail)
            self._ends[tail, (relation, False)].add(head)
        members: dict[str, set[str]] = defaultdict(set)
        kinds = {one.label: (one.head, one.tail) for one in words.relations}
        for head, label, tail in graph:
            before, after = kinds.get(label, ("person", "person"))
            members[before].add(head)
            members[after].add(tail)
        self._members = {kind: sorted(names) for kind, names in members.items()}
        self._nouns = [_Noun(noun, steps, "person", "person") for noun, steps in words.kin.items()]
        for one in words.relations:
            self._nouns += [_Noun(noun, ((one.label, True),), one.head, one.tail) for noun in one.to_tail]
            self._nouns += [_Noun(noun, ((one.label, False),), one.tail, one.head) for noun in one.to_head]

    def questions(self, each: int, hops: int) -> Iterator[Question]:
        """Yield questions: ``each`` of every form and length that the vocabulary has."""
        lengths = {"class": (2,), "clause": (2, 3), "grand": (2, 3), "together": (2,), "share": (2,), "same": (2,)}
        for form in FORMS:
            for n in [n for n in lengths.get(form, (2, 3)) if n <= hops]:
                texts = set[str]()
                for _ in range(200 * each):
                    drawn = self._drawn(form, n)
                    if drawn is None or len(texts) == each:
                        continue
                    text, seed, ends = drawn
                    if ends and ends != {seed} and len(ends) <= _MANY and text not in texts:
                        texts.add(text)
                        yield Question(
                            f"{form}-{n}-{len(texts)}", text, (seed,), tuple(sorted(ends)), hops=n, dataset=form
                        )

    def _drawn(self, form: str, hops: int) -> tuple[str, str, set[str]] | None:
        """Return a question in a form with its seed and answers; None where the draw fits nothing."""
        if form in ("together", "share", "same"):
            return self._alike(form)
        chain = self._kin(hops) if form == "grand" else self._chain(hops - (form in ("clause", "class")))
        if chain is None:
            return None
        seed, nouns, ends, kind = chain
        if form in ("possessive", "of", "mixed", "grand"):
            among = {"possessive": len(nouns), "of": 0, "grand": self._rng.randint(0, len(nouns))}
            possessives = among.get(form, self._rng.randint(1, len(nouns) - 1) if len(nouns) > 1 else 0)
            article = self._rng.choice(("the ", "the ", "")) if form == "mixed" else "the "
            return self._asked(_phrase(seed, nouns, possessives, article), kind, nouns[-1]), seed, ends
        return self._clause(seed, nouns, ends, kind) if form == "clause" else self._class()

    def _walk(self, starts: set[str], steps: Sequence[Step]) -> set[str]:
        return {end for start in starts for step in steps for end in self._ends.get((start, step), ())}

    def _chain(self, hops: int) -> tuple[str, list[str], set[str], str] | None:
        """Return a seed, nouns that lead away from it, the ends and their kind; no noun takes back the one before."""
        kind = self._rng.choice(sorted(self._members))
        seed = self._rng.choice(self._members[kind])
        ends, before, nouns = {seed}, set[Step](), list[str]()
        for _ in range(hops):
            fits = [one for one in self._nouns if one.before == kind and before.isdisjoint(one.steps)]
            if not fits:
                return None
            noun = self._rng.choice(fits)
            ends, kind = self._walk(ends, noun.steps), noun.after
            before = {(label, not forward) for label, forward in noun.steps}
            nouns.append(self._said(noun.noun, len(ends)))
        return seed, nouns, ends, kind

    def _said(self, noun: str, many: int) -> str:
        """Return a noun, in the plural for most of many ends; a child may be called a son, and a parent a father."""
        if noun == "child" or (noun == "parent" and "mother" not in self._words.kin):
            noun = self._rng.choice(_KIN[noun].split())
        return _plural(noun) if many > 1 and self._rng.random() < 0.7 else noun

    def _kin(self, hops: int) -> tuple[str, list[str], set[str], str] | None:
        """Return a chain of one grand- word, and of a noun after it, or great-, where it has three relations."""
        seed, kin = self._rng.choice(self._members["person"]), self._words.kin
        side = self._rng.choice(("child", "parent"))
        word = self._rng.choice(_KIN[side].split())
        great = hops == 3 and self._rng.random() < 0.4
        ends = {seed}
        for noun in [side] * (1 + great) + [word if word in kin else side]:
            ends = self._walk(ends, kin[noun])
        nouns, kind = [f"{'great-' if great else ''}grand{word}"], "person"
        if hops == 3 and not great:
            last = self._rng.choice([one for one in self._nouns if one.before == "person" and one.after != "person"])
            nouns, kind, ends = [*nouns, last.noun], last.after, self._walk(ends, last.steps)
        return seed, nouns, ends, kind

    def _asked(self, phrase: str, kind: str, noun: str) -> str:
        who, verb = "Who" if kind == "person" else "What", "are" if noun.endswith("s") or noun == "children" else "is"
        forms = [f"{who} {verb} {phrase}?", f"{phrase[0].upper()}{phrase[1:]}?", f"Name {phrase}."]
        forms += [f"Which {kind} is {phrase}?"] if kind != "person" and verb == "is" else []
        return self._rng.choice(forms)

    def _clause(self, seed: str, nouns: list[str], ends: set[str], kind: str) -> tuple[str, str, set[str]] | None:
        """Return a question whose last step is a clause: «Where does the master of X live?»."""
        fits = [(text, one.label, True) for one in self._words.relations if one.head == kind for text in one.asks]
        tails = [one for one in self._words.relations if one.tail == kind]
        fits += [(text, one.label, False) for one in tails for text in one.asks_head]
        if not fits:
            return None
        text, label, forward = self._rng.choice(fits)
        phrase = _phrase(seed, nouns, self._rng.randint(0, len(nouns)))
        asked = text.replace("@", phrase)
        return f"{asked[0].upper()}{asked[1:]}?", seed, self._walk(ends, ((label, forward),))

    def _class(self) -> tuple[str, str, set[str]] | None:
        """Return a question about what a clause describes: «the owners of the violins built by X»."""
        one = self._rng.choice([one for one in self._words.relations if one.clause])
        fits = [noun for noun in self._nouns if noun.before == one.head and (one.label, True) not in noun.steps]
        seed = self._rng.choice(self._members[one.tail])
        if not fits:
            return None
        last = self._rng.choice(fits)
        ends = self._walk(self._walk({seed}, ((one.label, False),)), last.steps)
        noun = self._said(last.noun, len(ends))
        phrase = f"the {noun} of the {_plural(one.head)} {one.clause.replace('@', seed)}"
        return self._asked(phrase, last.after, noun), seed, ends

    def _alike(self, form: str) -> tuple[str, str, set[str]] | None:
        """Return a question about what has an end in common with the seed."""
        fits = {
            "together": lambda one: one.together,
            "share": lambda one: one.to_tail,
            "same": lambda one: one.to_tail or one.same,
        }
        one = self._rng.choice([one for one in self._words.relations if one.share and fits[form](one)])
        seed, many = self._rng.choice(self._members[one.head]), _plural(one.head)
        shared = self._walk(self._walk({seed}, ((one.label, True),)), ((one.label, False),)) - {seed}
        who = "Who" if one.head == "person" else "What"
        texts = [f"Who {one.together} together with {seed}?"] if form == "together" else []
        for noun in one.to_tail if form == "share" else ():
            texts += [
                f"{who} shares {_a(noun)} with {seed}?",
                f"Which {many} share {_a(noun)} with {seed}?",
                f"Which {many} share the {noun} with {seed}?",
                f"{many.capitalize()} that share their {noun} with {seed}",
            ]
        if form == "same":
            texts = [f"{who if who == 'Who' else f'Which {many}'} {one.same} {one.tail} as {seed}?"] if one.same else []
            for noun in one.to_tail:
                texts += [
                    f"Which {many} have the same {noun} as {seed}?",
                    f"{who} has the same {noun} as {seed}?",
                    f"{many.capitalize()} with the same {noun} as {seed}",
                ]
        return self._rng.choice(texts), seed, shared


def _phrase(seed: str, nouns: Sequence[str], possessives: int, article: str = "the ") -> str:
    phrase = seed
    for place, noun in enumerate(nouns):
        mark = "'" if place and phrase.endswith("s") else "'s"
        phrase = f"{phrase}{mark} {noun}" if place < possessives else f"{article}{noun} of {phrase}"
    return phrase


def _plural(noun: str) -> str:
    irregular = {"child": "children", "city": "cities", "person": "people", "headquarters": "headquarters"}
    return next((noun.removesuffix(one) + many for one, many in irregular.items() if noun.endswith(one)), f"{noun}s")


def _a(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def measure(graph: Graph, questions: Sequence[Question]) -> dict[str, list[tuple[bool, bool, bool]]]:
    """Return by form and length, for each question: right, exactly right, answered."""
    pipeline, rows = default_pipeline(graph), defaultdict[str, list[tuple[bool, bool, bool]]](list)
    for one in ground(graph, questions).questions:
        try:
            answered = pipeline(graph, one.query()).entities
        except GraphbrickError:
            answered = ()
        scores = answer_scores(answered, one.gold)
        rows[f"{one.question.dataset} {one.question.hops}"].append(
            (bool(scores.hits_at_1), bool(scores.exact_match), bool(answered))
        )
    return rows


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--graph", action="append", choices=[*VOCABULARIES], help="may be repeated; all without it")
    arguments.add_argument("--each", type=int, default=40, help="questions of each form and length")
    arguments.add_argument("--hops", type=int, default=3, help="the longest chain")
    arguments.add_argument("--seed", type=int, default=0, help="of the questions")
    arguments.add_argument("--types", action="store_true", help="each entity has its kind as type")
    arguments.add_argument("--unlearned", action="store_true", help="only the pipeline before graphbrick learn")
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    lines: list[dict[str, object]] = []
    print("| graph | pipeline | form and hops | n | Hits@1 | exact | answered |\n|---|---|---|---|---|---|---|")
    for name in given.graph or VOCABULARIES:
        with tempfile.TemporaryDirectory() as temporary:
            made = triples(VOCABULARIES[name])
            place = Path(temporary) / f"{name}.graph"
            tables = Path(temporary) / "tables"
            graph = build_typed(VOCABULARIES[name], made, tables, place) if given.types else build(made, place)
            questions = list(Chains(VOCABULARIES[name], made, given.seed).questions(given.each, given.hops))
            for pipeline in ("not learned", "learned"):
                if pipeline == "learned":
                    if given.unlearned:
                        continue
                    learn(graph, seed=given.seed)
                rows = measure(graph, questions)
                rows["all"] = [row for form in rows.values() for row in form]
                for form, of_form in rows.items():
                    right, exact, answered = (sum(column) / len(of_form) for column in zip(*of_form, strict=True))
                    figures = {"hits_at_1": right, "exact": exact, "answered": answered}
                    lines.append({"graph": name, "pipeline": pipeline, "form": form, "n": len(of_form), **figures})
                    cells = [name, pipeline, form, str(len(of_form)), *(f"{figure:.3f}" for figure in figures.values())]
                    print(f"| {' | '.join(cells)} |", flush=True)
    if given.json:
        given.json.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
