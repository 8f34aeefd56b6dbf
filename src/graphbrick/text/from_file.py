"""FromFile: triples that were extracted elsewhere, such as by HippoRAG."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.parameters import parameter
from graphbrick.files.digests import digest
from graphbrick.text.extraction import Extraction, Extractor, FoundTriple

_TEXTS = ("passage", "text")
_TRIPLES = ("extracted_triples", "triples")
_PARTS = (("subject", "head", "source"), ("relation", "predicate", "relatie"), ("object", "tail", "target"))


@dataclass(frozen=True, repr=False)
class FromFile(Extractor):
    """Triples from a file, for the passages whose text is in it; a text that is not in the file has none.

    The file is JSON lines, a JSON list, or the OpenIE file of HippoRAG (an object with a list ``docs``), also .gz. Each
    entry has the text of a passage (``passage`` or ``text``, with or without a ``title``) and ``triples`` (or
    ``extracted_triples``): lists of head, relation and tail in words, or objects such as {"subject": ..., "relation":
    ..., "object": ...}. White space and case of the text do not count.

    Args:
        file: Path of the file.
        objects: Whether triples may be objects. False drops them, as the published MichaelRag did: its model wrote
            5,245 of 5,341 triples so, and they were lost.
    """

    paper = "Gutiérrez et al., From RAG to Memory: Non-Parametric Continual Learning for Large Language Models, 2025"

    file: str = parameter(path=True, example="openie.jsonl")
    objects: bool = parameter(True)

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return the triples of each text.

        Raises:
            InputError: The file cannot be read, or an entry is not as described.
        """
        path = Path(self.file).expanduser()
        known = _triples(path, digest(path), self.objects)
        return [Extraction(triples=list(known.get(_key(text), ()))) for text in texts]


@lru_cache(maxsize=2)
def _triples(file: Path, _digest: str, objects: bool) -> Mapping[str, tuple[FoundTriple, ...]]:
    """Return the triples by the key of their text, with and without the title."""
    known = {}
    for number, entry in enumerate(_entries(file), 1):
        try:
            text = str(next(entry[name] for name in _TEXTS if name in entry))
            listed = next(entry[name] for name in _TRIPLES if name in entry)
            triples = [_parts(triple) for triple in listed if objects or not isinstance(triple, dict)]
        except (StopIteration, TypeError) as error:
            raise InputError("an entry needs a text (passage) and triples", file, number, repr(entry)) from error
        # A model that lists two or four parts has found no triple.
        whole = tuple(FoundTriple(*one) for one in triples if len(one) == 3 and all(one))
        known[_key(text)] = whole
        if entry.get("title"):
            known[_key(f"{entry['title']}\n{text}")] = whole
    return known


def _parts(triple: Any) -> tuple[str, ...]:
    """Return the parts of a triple in words; a part that an object does not have is left out."""
    if isinstance(triple, dict):
        triple = [triple[name] for names in _PARTS for name in names if name in triple]
    return tuple(str(part).strip() for part in triple)


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
        raise InputError(f"it is not JSON ({error})", file) from error
    entries = value.get("docs", [value]) if isinstance(value, dict) else value
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            raise InputError("an entry must be a JSON object", file, number, repr(entry))
        yield entry


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
