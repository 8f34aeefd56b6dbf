"""Sets of seeds from files: questions, JSON lines ``{"set": "q1", "seeds": ["Nairobi"]}``, CSV."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphbrick.core.errors import InputError, shown
from graphbrick.graphs.readers.streams import open_source, unpacked_name
from graphbrick.questions.loading import load
from graphbrick.spark.storage import Storage, is_remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_QUESTIONS_ONLY = (".parquet", ".txt")
_QUESTION = re.compile("question|utterance", re.IGNORECASE)
_LONGEST = 131_072  # characters of a cell


class SeedSet(NamedTuple):
    """A named set of seeds.

    Attributes:
        name: Name of the set, such as the id of a question.
        seeds: Keys of entities, each once; empty for a question without seeds.
    """

    name: str
    seeds: tuple[str, ...]


def read_seed_sets(spark: SparkSession, place: str) -> list[SeedSet]:
    """Read the sets of a file, in the order of their names.

    A file of questions of any form that `graphbrick.questions.load` reads gives a set for each question: its id
    and its seeds.

    Raises:
        InputError: There is no such file, or a line is not a set of seeds (the message names the line); or none of the
            questions has seeds.
    """
    if not is_remote(place):
        return _read(Path(place.removeprefix("file:")))
    storage = Storage(spark, place)
    if not storage.exists(place):
        raise InputError("there is no such file", place, code="seed_sets.no_file")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / place.rpartition("/")[2]
        file.write_bytes(storage.read_bytes(place))
        try:
            return _read(file)
        except InputError as error:  # which names the copy
            values = {name: value for name, value in error.values.items() if name not in ("file", "line")}
            raise InputError(error.reason, place, error.line, error.text, code=error.code, **values) from error


def _read(file: Path) -> list[SeedSet]:
    suffix = Path(unpacked_name(file)).suffix
    text = "" if suffix in _QUESTIONS_ONLY else _text(file)
    if suffix in _QUESTIONS_ONLY or _holds_questions(text, suffix):
        questions = load(file)
        if not any(question.seeds for question in questions):
            text = "none of the questions has seeds, which are keys of entities"
            raise InputError(text, file, code="seed_sets.no_seeds")
        return sorted(SeedSet(question.id, question.seeds) for question in questions)
    rows = _csv_rows(file, text, _TABLES[suffix]) if suffix in _TABLES else _json_rows(file, text)
    sets: dict[str, dict[str, None]] = {}
    for name, seeds in rows:
        sets.setdefault(name, {}).update(dict.fromkeys(seeds))
    if not sets:
        raise InputError("the file has no sets of seeds", file, code="seed_sets.none")
    return sorted(SeedSet(name, tuple(seeds)) for name, seeds in sets.items())


def _text(file: Path) -> str:
    with open_source(file) as stream:
        data = stream.read()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8", file, code="seed_sets.not_utf8") from error


def _holds_questions(text: str, suffix: str) -> bool:
    """Return whether a file holds questions and not sets of seeds, by its first line."""
    first = next((line for line in _lines(text) if line.strip()), "")
    if suffix in _TABLES:
        try:
            names = next(csv.reader([first], delimiter=_TABLES[suffix]), [])
        except csv.Error:
            return False  # the error is raised when the sets are read
    else:
        try:
            value = json.loads(first)
        except (ValueError, RecursionError):
            return first.lstrip().startswith(("[", "{"))  # the beginning of a document of several lines
        if not isinstance(value, dict):
            return isinstance(value, list)
        names = list(value)
    return "set" not in names and any(_QUESTION.search(name) for name in names)


def _lines(text: str) -> list[str]:
    """Return the lines; str.splitlines would also cut at U+2028, which JSON allows inside a text."""
    return re.split("\r\n?|\n", text)


def _json_rows(file: Path, text: str) -> Iterator[tuple[str, list[str]]]:
    names: set[str] = set()
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            name, seeds = row["set"], row["seeds"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            advice = 'a line is {"set": "q1", "seeds": ["Nairobi"]}'
            reason = f"not a set of seeds ({advice}): {shown(line, 100)}"
            raise InputError(reason, file, number, code="seed_sets.not_a_set") from error
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name)
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"set must be a name, got {shown(name)}", file, number, code="seed_sets.bad_name")
        if name in names:
            reason = f"the set {name!r} is there twice; join its seeds in one line"
            raise InputError(reason, file, number, code="seed_sets.twice", name=name)
        if (
            not isinstance(seeds, list)
            or not seeds
            or not all(isinstance(seed, str) and seed.strip() for seed in seeds)
        ):
            reason = f"seeds must be a list of keys of entities, got {shown(seeds)}"
            raise InputError(reason, file, number, code="seed_sets.bad_seeds")
        names.add(name)
        yield name, [seed.strip() for seed in seeds]


def _csv_rows(file: Path, text: str, delimiter: str) -> Iterator[tuple[str, list[str]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        columns = [name.strip() for name in reader.fieldnames or ()]
        if any(columns.count(name) != 1 for name in ("set", "seed")):
            reason = f"the columns must be set and seed, got {', '.join(columns) or 'none'}"
            raise InputError(reason, file, 1, code="seed_sets.columns", columns=columns)
        reader.fieldnames = columns
        for row in reader:
            more = row.get(None) or ()
            if any(map(str.strip, more)):
                raise InputError(
                    f"the row has {len(columns) + len(more)} cells, and the header {len(columns)}; write each seed in "
                    f"a row of its own, and quote one that holds {delimiter!r}",
                    file,
                    reader.line_num,
                    code="seed_sets.more_cells",
                    cells=len(columns) + len(more),
                )
            name, seed = ((row[column] or "").strip() for column in ("set", "seed"))
            if max(len(name), len(seed)) > _LONGEST:  # the limit of the csv module may have been raised elsewhere
                raise csv.Error(f"field larger than field limit ({_LONGEST})")
            if not name or not seed:
                raise InputError("the set or the seed is empty", file, reader.line_num, code="seed_sets.empty")
            yield name, [seed]
    except csv.Error as error:
        reason = f"{error}; is a quotation mark never closed?"
        raise InputError(reason, file, reader.reader.line_num, code="seed_sets.not_csv") from error
