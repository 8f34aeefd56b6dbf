"""A small made-up graph of people and chains of two and three relations over it, made by rules.

    python benchmarks/family.py FOLDER          # writes family.tsv and family_questions.jsonl

Three generations marry, have children, work, and some die. Questions are chains: «Where does the kid of Ann Holt's wife
work?». Half are nouns only («the job of the kid of X's wife»), half end in a clause. Their wordings are lists of this
file, written without the frames and word lists that `graphbrick learn` writes questions with. Chains may come back to
the entity that they start from; answers are all ends of the walk.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path

Triple = tuple[str, str, str]

_FIRST = (
    "Ada Ben Carla Dev Erik Fiona Gus Hana Ivo Jana Karl Lena Milo Nora Otto Pia Quin Rosa Sven Tara Ugo Vera Wim "
    "Xenia Yann Zoe"
).split()
_LAST = (
    "Abel Brandt Costa Diaz Evers Falk Grau Holt Ito Jansen Klein Lind Marsh Nunez Okoro Patel Quist Reed Sato Turay "
    "Ulmer Voss Weber Young Zeller Adler Bauer Conti Duran Engel"
).split()
_VALUES = {
    "profession": "baker nurse lawyer painter farmer teacher engineer pilot tailor chemist".split(),
    "nationality": "Kenya Norway Brazil Japan Italy Canada Ghana Peru".split(),
    "religion": "Buddhism Islam Hinduism Catholicism Judaism Shinto".split(),
    "place of birth": "Oslo Nairobi Turin Lima Accra Kyoto Recife Halifax Bergen Mombasa".split(),
    "cause of death": "pneumonia stroke cancer drowning malaria".split(),
    "education": "Oslo College|Turin Academy|Lima Polytechnic|Accra University|Kyoto Institute".split("|"),
    "employer": "Nordbank|Alta Foods|Kilimo Ltd|Sakura Motors|Andes Air|Maple Press".split("|"),
}

# What the next entity is to the one before it: nouns, then clauses about @ for a last step.
NOUNS: dict[str, list[str]] = {
    "spouse": ["spouse", "wife", "husband", "better half", "partner", "married partner"],
    "child": ["child", "kid", "son", "daughter", "offspring", "children", "kids"],
    "parent": ["parent", "mother", "father", "mum", "dad", "parents"],
    "sibling": ["sibling", "brother", "sister", "siblings"],
    "employer": ["employer", "company", "firm"],
    "profession": ["profession", "job", "occupation", "line of work", "trade"],
    "nationality": ["nationality", "citizenship", "home country"],
    "religion": ["religion", "faith", "creed"],
    "place of birth": ["place of birth", "birthplace", "native town"],
    "cause of death": ["cause of death", "fatal illness"],
    "education": ["education", "school", "alma mater", "college"],
}
CLAUSES: dict[str, list[str]] = {
    "spouse": ["who is @ married to", "who did @ marry", "to whom is @ wed"],
    "child": ["who was born to @", "whom is @ bringing up", "how are the kids of @ called"],
    "parent": ["who brought up @", "whose kid is @"],
    "sibling": ["who grew up with @ as brother or sister"],
    "employer": ["who does @ work for", "where does @ work", "who employs @", "which company pays @"],
    "profession": ["what does @ do for a living", "what job does @ have", "how does @ earn a living"],
    "nationality": ["which country is @ a citizen of", "which passport does @ hold", "what country is @ from"],
    "religion": ["which faith does @ follow", "what does @ believe in", "which religion does @ practise"],
    "place of birth": ["where was @ born", "in which town was @ born", "which city is @ a native of"],
    "cause of death": ["what did @ die of", "how did @ die", "what killed @"],
    "education": ["where did @ study", "which school did @ attend", "where did @ go to college"],
}  # fmt: skip


def triples(seed: int = 0) -> list[Triple]:
    """Return the triples of the graph."""
    rng = random.Random(seed)
    names = [f"{first} {last}" for first in _FIRST for last in _LAST]
    rng.shuffle(names)
    found: list[Triple] = []
    fresh = iter(names)
    generation = [next(fresh) for _ in range(120)]
    for _ in range(3):
        rng.shuffle(generation)
        children: list[str] = []
        for one, other in zip(generation[::2], generation[1::2], strict=False):
            found += [(one, "spouse", other), (other, "spouse", one)]
            born = [name for name, _ in zip(fresh, range(rng.choice((1, 2, 2, 3, 3, 4))), strict=False)]
            for child in born:
                for parent in (one, other):
                    found += [(parent, "child", child), (child, "parent", parent)]
                found += [(child, "sibling", sibling) for sibling in born if sibling != child]
            children += born
        generation = children
    for person in sorted({head for head, _, _ in found} | {tail for _, _, tail in found}):
        for relation, values in _VALUES.items():
            if relation != "cause of death" or rng.random() < 0.4:
                found.append((person, relation, rng.choice(values)))
    return found


def questions(graph: list[Triple], n: int = 300, seed: int = 0) -> list[dict[str, object]]:
    """Return ``n`` questions of two relations and as many of three."""
    rng = random.Random(seed + 1)
    tails: dict[tuple[str, str], set[str]] = defaultdict(set)
    for head, relation, tail in graph:
        tails[head, relation].add(tail)
    people = sorted({head for head, relation, _ in graph})
    between = ["spouse", "child", "parent", "sibling"]
    found: list[dict[str, object]] = []
    for hops in (2, 3):
        while len(found) < n * (hops - 1):
            chain = [*rng.choices(between, k=hops - 1), rng.choice(sorted(NOUNS))]
            seed_entity = rng.choice(people)
            ends = {seed_entity}
            for relation in chain:
                ends = {tail for end in ends for tail in tails[end, relation]}
            if not ends or ends == {seed_entity}:
                continue
            found.append(
                {
                    "id": f"{hops}-{len(found)}",
                    "question": _words(chain, seed_entity, rng),
                    "seeds": [seed_entity],
                    "answers": sorted(ends),
                    "hops": hops,
                }
            )
    return found


def _words(chain: list[str], entity: str, rng: random.Random) -> str:
    """Return the question about a chain."""
    phrase, clause = entity, rng.random() < 0.5
    nouns = [rng.choice(NOUNS[relation]) for relation in (chain[:-1] if clause else chain)]
    possessives = rng.randint(0, len(nouns))  # «the kid of X's wife»; «the wife of X's kid» cannot go on with «'s»
    for place, noun in enumerate(nouns):
        phrase = f"{phrase}'s {noun}" if place < possessives else f"the {noun} of {phrase}"
    if clause:
        return rng.choice(CLAUSES[chain[-1]]).replace("@", phrase) + "?"
    return rng.choice(("what is {}?", "{}?", "do you happen to know {}?", "I would like to know {}")).format(phrase)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    graph = triples()
    (folder / "family.tsv").write_text("".join("\t".join(triple) + "\n" for triple in graph), encoding="utf-8")
    lines = (json.dumps(question, ensure_ascii=False) + "\n" for question in questions(graph))
    (folder / "family_questions.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
