"""Sets of seeds from a file: JSON lines ``{"set": "q1", "seeds": ["Nairobi"]}``, or CSV with columns set and seed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphbrick.core.errors import InputError, shown
from graphbrick.spark.storage import Storage, is_remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CSV = (".csv", ".tsv", ".tab")


class SeedSet(NamedTuple):
    """A named set of seeds.

    Attributes:
        name: Name of the set, such as the id of a question.
        seeds: Keys of entities, each once.
    """

    name: str
    seeds: tuple[str, ...]


def read_seed_sets(spark: SparkSession, place: str) -> list[SeedSet]:
    """Read the sets of a file, in the order of their names.

    Raises:
        InputError: There is no such file, or a line is not a set of seeds; the message names the line.
    """
    if is_remote(place):
        storage = Storage(spark, place)
        if not storage.exists(place):
            raise InputError("there is no such file", place)
        text = storage.read_text(place)
    else:
        text = _local_text(Path(place.removeprefix("file:")))
    suffix = Path(place).suffix.lower()
    rows = _csv_rows(place, text, "," if suffix == ".csv" else "\t") if suffix in _CSV else _json_rows(place, text)
    sets: dict[str, dict[str, None]] = {}
    for name, seeds in rows:
        sets.setdefault(name, {}).update(dict.fromkeys(seeds))
    if not sets:
        raise InputError("the file holds no sets of seeds", place)
    return [SeedSet(name, tuple(sets[name])) for name in sorted(sets)]


def _local_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8", file) from error
    except OSError as error:
        raise InputError(f"the seeds cannot be read: {error.strerror}", file) from error


def _json_rows(file: str, text: str) -> Iterator[tuple[str, list[str]]]:
    names: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            name, seeds = row["set"], row["seeds"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            advice = 'a line is {"set": "q1", "seeds": ["Nairobi"]}'
            raise InputError(f"not a set of seeds ({advice}): {shown(line, 100)}", file, number) from error
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name)
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"set must be a name, got {shown(name)}", file, number)
        if name in names:
            raise InputError(f"the set {name!r} is there twice; join its seeds in one line", file, number)
        if not isinstance(seeds, list) or not seeds or not all(isinstance(seed, str) and seed for seed in seeds):
            raise InputError(f"seeds must be a list of keys of entities, got {shown(seeds)}", file, number)
        names.add(name)
        yield name, [seed.strip() for seed in seeds]


def _csv_rows(file: str, text: str, delimiter: str) -> Iterator[tuple[str, list[str]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns = [name.strip() for name in reader.fieldnames or ()]
    if not {"set", "seed"} <= set(columns):
        raise InputError(f"the columns must be set and seed, got {', '.join(columns) or 'none'}", file, 1)
    reader.fieldnames = columns
    for row in reader:
        name, seed = ((row[column] or "").strip() for column in ("set", "seed"))
        if not name or not seed:
            raise InputError("the set or the seed is empty", file, reader.line_num)
        yield name, [seed]
