"""FromFile: triples that were extracted elsewhere, such as by HippoRAG."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from graphbrick.core.errors import InputError
from graphbrick.core.files.digests import digest
from graphbrick.core.parameters import parameter
from graphbrick.language.folding import fold_name
from graphbrick.text.extract.extraction import Extraction, Extractor, FoundTriple
from graphbrick.text.extract.model_extractor import count_dropped
from graphbrick.text.extract.rows import INCOMPLETE

_TEXTS = ("passage", "text")
_TRIPLES = ("extracted_triples", "triples")
_OBJECT = "an object instead of three parts"
_PARTS = (("subject", "head", "source"), ("relation", "predicate", "relatie"), ("object", "tail", "target"))


@dataclass(frozen=True, repr=False)
class FromFile(Extractor):
    """Triples from a file, for the passages whose text is in it; a text that is not in the file has none.

    The file is JSON lines, a JSON list, or the OpenIE file of HippoRAG (an object with a list ``docs``), also .gz. Each
    entry has the text of a passage (``passage`` or ``text``, with or without a ``title``) and ``triples`` (or
    ``extracted_triples``): lists of head, relation and tail in words, or objects such as {"subject": ..., "relation":
    ..., "object": ...}. White space and case of the text do not count. A triple without three parts, or with
    an end that is no name (a number alone, or more than 100 characters), is left out and counted.

    Args:
        file: Path of the file.
        objects: Whether triples may be objects. False drops them, as the published MichaelRag did: its model wrote
            5,245 of 5,341 triples so, and they were lost.
    """

    paper = "Gutiérrez et al., From RAG to Memory: Non-Parametric Continual Learning for Large Language Models, 2025"
    version: ClassVar[int] = 2

    file: str = parameter(path=True, example="openie.jsonl")
    objects: bool = parameter(True)

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return the triples of each text.

        Raises:
            InputError: The file cannot be read, or an entry is not as described.
        """
        path = Path(self.file).expanduser()
        known = _triples(path, digest(path), self.objects)
        # A passage begins with the title of its document, which for a file without one is the file's name.
        entries = (known.get(_key(text)) or known.get(_key(text.partition("\n")[2]), _NOTHING) for text in texts)
        return [Extraction(triples=list(entry.triples), dropped=dict(entry.dropped)) for entry in entries]


class _Entry(NamedTuple):
    triples: tuple[FoundTriple, ...]
    dropped: Mapping[str, int]


_NOTHING = _Entry((), {})


@lru_cache(maxsize=2)
def _triples(file: Path, _digest: str, objects: bool) -> Mapping[str, _Entry]:
    """Return the triples by the key of their text with and without title, and how many were left out."""
    known = {}
    for number, entry in enumerate(_entries(file), 1):
        try:
            text = str(next(entry[name] for name in _TEXTS if name in entry))
            listed = next(entry[name] for name in _TRIPLES if name in entry)
            rows = [triple for triple in listed if objects or not isinstance(triple, dict)]
            triples = [_parts(row) for row in rows]
        except (StopIteration, TypeError) as error:
            raise InputError(
                "an entry needs a text (passage) and triples", file, number, repr(entry), code="from_file.bad_entry"
            ) from error
        # A model that lists two or four parts has found no triple.
        whole = tuple(one for one in map(_triple, triples) if one is not None)
        dropped = Counter({INCOMPLETE: len(triples) - len(whole), _OBJECT: len(listed) - len(rows)})
        known[_key(text)] = _Entry(whole, count_dropped(dropped))
        if entry.get("title"):
            known[_key(f"{entry['title']}\n{text}")] = known[_key(text)]
    return known


def _triple(parts: Sequence[str]) -> FoundTriple | None:
    """Return a triple; None if these are not a head, a relation and a tail."""
    if len(parts) != 3 or not all(parts) or not (fold_name(parts[0]) and fold_name(parts[2])):
        return None
    head, relation, tail = parts
    return FoundTriple(head, relation, tail)


def _parts(triple: Any) -> tuple[str, ...]:
    """Return the parts of a triple as words; a part that is neither a text nor a number is empty."""
    if isinstance(triple, dict):
        triple = [next((triple[name] for name in names if name in triple), None) for names in _PARTS]
    listed = [] if isinstance(triple, str) else triple
    return tuple(str(part).strip() if isinstance(part, str | int | float) else "" for part in listed)


def _entries(file: Path) -> Iterator[Mapping[str, Any]]:
    from graphbrick.graphs.readers.streams import open_source  # loads a compiler

    with open_source(file) as stream:
        data = stream.read()
    try:
        try:
            value = json.loads(data)
        except ValueError:
            value = [json.loads(line) for line in data.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is not JSON ({error})", file, code="from_file.not_json") from error
    entries = value.get("docs", [value]) if isinstance(value, dict) else value
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            raise InputError(
                "an entry must be a JSON object", file, number, repr(entry), code="from_file.not_an_object"
            )
        yield entry


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
