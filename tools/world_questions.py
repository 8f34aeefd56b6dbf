"""Write questions.jsonl of src/graphbrick/demo: questions over the world graph with their answers, made by rules.

    python tools/world_questions.py

An answer is what the graph says (see `graphbrick.demo.sources` for where that comes from), not the last word on a
country's languages.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from graphbrick.demo.sources import installed_versions
from graphbrick.demo.world import world_records
from graphbrick.graphs.records.records import EntityRecord, Record
from graphbrick.language.folding import fold
from world_patterns import PATTERNS, SEEDS, Pattern, steps

MAX_ANSWERS = 25
"""Maximum number of answers of a question."""

FOLDER = Path(__file__).parent.parent / "src/graphbrick/demo"
FILE, VERSIONS_FILE = FOLDER / "questions.jsonl", FOLDER / "questions_versions.json"

# Borders and languages of these are told differently from source to source, and a question should have one answer.
_DISPUTED = {f"country:{code}" for code in ("AQ", "EH", "IL", "PS", "TW", "XK")}
_MAIN_LANGUAGES = 3  # nobody expects a country to be named for the fourth of its languages
_SMALL = 1_000_000  # countries with fewer people are not used about; they may be answers
_ARTICLE = re.compile(r"United|Netherlands|Philippines|.*Republic|Bahamas|Gambia|.*Emirates")


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose answers are all the entities at the end of a path.

    Args:
        id: "hop" count and number, such as "2-07".
        question: The text.
        seeds: Keys of the entities that the text names.
        answers: Keys of all answers, sorted.
        hops: The length of the path.
        path: Steps from the seeds: a relation key, and "out" for along the triple or "in" for against it.
    """

    id: str
    question: str
    seeds: tuple[str, ...]
    answers: tuple[str, ...]
    hops: int
    path: tuple[tuple[str, str], ...]


def write_questions() -> list[Question]:
    """Generate the questions by rules from the installed data; the same data give the same questions.

    Raises:
        GraphbrickError: If one of the packages with the data is not installed.
    """
    return _Writer(world_records()).questions()


def load_questions() -> list[Question]:
    """Return the questions stored in the package."""
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row.update(
            seeds=tuple(row["seeds"]), answers=tuple(row["answers"]), path=tuple((r, way) for r, way in row["path"])
        )
    return [Question(**row) for row in rows]


def written_with() -> dict[str, str]:
    """The versions of the packages that the kept questions were written from, by name."""
    return {str(name): str(version) for name, version in json.loads(VERSIONS_FILE.read_text(encoding="utf-8")).items()}


class Neighbourhood:
    """The triples of the graph by either end, to follow paths."""

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        self._ends: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for head, relation, tail in triples:
            self._ends[head, relation, "out"].append(tail)
            self._ends[tail, relation, "in"].append(head)

    def step(self, keys: Iterable[str], relation: str, way: str, without: Iterable[str] = ()) -> list[str]:
        """Return the distinct entities one step further, in order of discovery, except those in ``without``."""
        found = dict.fromkeys(end for key in keys for end in self._ends.get((key, relation, way), ()))
        left_out = set(without)
        return [key for key in found if key not in left_out]

    def follow(self, seeds: Iterable[str], path: Iterable[tuple[str, str]]) -> list[str]:
        """Return the entities at the end of a path; seeds are excluded from later steps."""
        seeds = list(seeds)
        keys = seeds
        for relation, way in path:
            keys = self.step(keys, relation, way, without=seeds)
        return keys


class _Writer:
    """Question writer that cycles through the countries, so that patterns ask about different ones."""

    def __init__(self, records: Iterable[Record]) -> None:
        triples = []
        self._entities: dict[str, EntityRecord] = {}
        self._same_label: dict[str, list[str]] = defaultdict(list)
        for record in records:
            if isinstance(record, EntityRecord):
                self._entities[record.key] = record
                self._same_label[fold(record.label or "")].append(record.key)
            elif isinstance(record, tuple):
                triples.append(record)
        self._graph = Neighbourhood(triples)
        self._ring = self._countries()

    def questions(self) -> list[Question]:
        """Return the questions of all patterns, fewest hops first."""
        return [question for hops, patterns in enumerate(PATTERNS, 1) for question in self._of(hops, patterns)]

    def _of(self, hops: int, patterns: tuple[Pattern, ...]) -> Iterator[Question]:
        number = 0
        for pattern in patterns:
            path = tuple((step[0], step[1]) for step in steps(pattern.path))
            for i, (seed, answers) in enumerate(islice(self._fits(pattern), pattern.count)):
                number += 1
                text = pattern.texts[i % len(pattern.texts)].format(self._name(seed))
                text = text[0].upper() + text[1:]
                yield Question(f"{hops}-{number:02}", text, (seed,), tuple(sorted(answers)), hops, path)

    def _fits(self, pattern: Pattern) -> Iterator[tuple[str, list[str]]]:
        """Seeds that suit a pattern and their answers, one a country; a country used about goes to the end."""
        used = set()
        for country in list(self._ring):
            start = [(step[0], step[1]) for step in steps(SEEDS[pattern.seed])]
            seeds = self._graph.follow([country], start)
            for seed in seeds[:1] if pattern.seed == "main language" else seeds:
                answers = self._answers(seed, pattern) if seed not in used and self._is_clear(seed) else []
                if answers:
                    used.add(seed)
                    self._ring.remove(country)
                    self._ring.append(country)
                    yield seed, answers
                    break

    def _answers(self, seed: str, pattern: Pattern) -> list[str]:
        """The answers, or none where a step gives too few or too many, or a country that had better not come up."""
        keys = [seed]
        for relation, way, size in steps(pattern.path):
            keys = self._graph.step(keys, relation, way, without=[seed])
            fits = len(keys) == 1 if size == "1" else len(keys) >= (2 if size == "2" else 1)
            if (relation, way) == ("language", "in"):
                fits &= all(seed in self._graph.step([key], "language", "out")[:_MAIN_LANGUAGES] for key in keys)
            if not fits or any(key in _DISPUTED or "territory" in self._entities[key].types for key in keys):
                return []
        return keys if len(keys) <= MAX_ANSWERS else []

    def _is_clear(self, key: str) -> bool:
        """Whether a label means this entity: no other has it, but for cities a tenth as large."""
        others = [k for k in self._same_label[fold(self._entities[key].label or "")] if k != key]
        is_city = key.startswith("city:")
        return all(is_city and k.startswith("city:") and 10 * self._people(k) <= self._people(key) for k in others)

    def _countries(self) -> list[str]:
        """The countries to ask about: a continent after the other, each from its largest country down."""
        by_continent: dict[str, list[str]] = defaultdict(list)
        for key, entity in self._entities.items():
            wanted = "country" in entity.types and "territory" not in entity.types and key not in _DISPUTED
            if wanted and self._people(key) >= _SMALL:
                by_continent[self._graph.step([key], "continent", "out")[0]].append(key)
        rows = [sorted(keys, key=lambda k: (-self._people(k), k)) for _, keys in sorted(by_continent.items())]
        return [row[i] for i in range(max(map(len, rows))) for row in rows if i < len(row)]

    def _people(self, key: str) -> int:
        found = re.search(r"([\d,]+) people", self._entities[key].description or "")
        return int(found[1].replace(",", "")) if found else 0

    def _name(self, key: str) -> str:
        label = self._entities[key].label or key
        return f"the {label}" if key.startswith("country:") and _ARTICLE.match(label) else label


def _main() -> None:
    lines = [json.dumps(asdict(question), ensure_ascii=False) for question in write_questions()]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    VERSIONS_FILE.write_text(json.dumps(installed_versions(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _main()
