"""Names of JSON-LD that no context maps: the parser leaves their values out without a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

_Context: TypeAlias = dict[str, Any]
_MAPS = {"@language", "@index", "@id", "@type"}
"""Containers whose objects have texts, languages or keys as names, not terms."""


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
