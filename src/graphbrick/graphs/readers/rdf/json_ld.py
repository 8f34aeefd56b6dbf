"""Contexts of JSON-LD: that of schema.org, and names that none maps, whose values the parser leaves out silently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any, TypeAlias

_Context: TypeAlias = dict[str, Any]
_MAPS = {"@language", "@index", "@id", "@type"}
"""Containers whose objects have texts, languages or keys as names, not terms."""

# The vocabulary of schema.org, the one context on the web that most files refer to.
_SCHEMA_CONTEXT = re.compile(rb'("@context"\s*:\s*)"https?://schema\.org/?(?:docs/jsonldcontext\.jsonl?d?)?"')
_SCHEMA_VOCABULARY = rb'\1{"@vocab":"http://schema.org/"}'


def with_vocabulary(stream: IO[bytes]) -> bytes:
    """Return a document with the vocabulary of schema.org in place of its context on the web."""
    return _SCHEMA_CONTEXT.sub(_SCHEMA_VOCABULARY, stream.read())


def unmapped_names(document: object) -> Iterator[str]:
    """Yield the names of a document that its contexts do not map to IRIs, once for each value.

    The names that a context maps for one type or property are taken to be mapped everywhere.

    >>> list(unmapped_names({"@context": {"name": "http://x.org/name"}, "name": "Ada", "age": 36, "a:b": 1}))
    ['age']
    """
    waiting: list[tuple[object, _Context]] = [(document, {})]
    while waiting:
        value, context = waiting.pop()
        if isinstance(value, list):
            waiting += ((item, context) for item in reversed(value))
        elif isinstance(value, dict):
            if "@context" in value:
                context = _extended(context, value["@context"])
            for name, item in value.items():
                definition = context.get(name)
                if not _is_mapped(name, context):
                    yield from [] if item is None else [name]
                elif name != "@context" and not {"@value", "@json"} & {name, *_texts(definition)}:
                    is_map = isinstance(item, dict) and bool(_MAPS & set(_texts(definition)))
                    waiting.append((list(item.values()) if is_map else item, context))


def _extended(context: _Context, stated: object) -> _Context:
    """Return a context with what another one states; null begins anew."""
    if isinstance(stated, list):
        for part in stated:
            context = _extended(context, part)
        return context
    if not isinstance(stated, dict):
        return {} if stated is None else context
    context = context | stated
    for definition in stated.values():
        if isinstance(definition, dict) and definition.get("@context"):
            own = _extended({}, definition["@context"])
            context = {name: mapped for name, mapped in own.items() if mapped is not None} | context
    return context


def _is_mapped(name: str, context: _Context) -> bool:
    if name in context and not name.startswith("@"):
        definition = context[name]
        return (definition.get("@id", name) if isinstance(definition, dict) else definition) is not None
    return name.startswith("@") or ":" in name or context.get("@vocab") is not None


def _texts(definition: object) -> list[str]:
    """Return the keyword that a term stands for, or the type and the containers of its values."""
    if isinstance(definition, dict):
        containers = definition.get("@container") or []
        types = [definition["@type"]] if definition.get("@type") == "@json" else []
        return [*types, *(containers if isinstance(containers, list) else [containers])]
    return [definition] if definition == "@value" else []
