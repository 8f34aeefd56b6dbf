"""Seeds in graphs that have no index of names: looked up by the search of the graph itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphbrick.core.errors import LinkError
from graphbrick.core.graph import Labels
from graphbrick.language.folding import Token, name_form, nfc, tokens
from graphbrick.language.signs import fit

_SEARCHED = 20
_SHOWN = 3


def seeds_in(graph: Labels, question: str, seeds: Iterable[str | int]) -> list[int]:
    """Return the entities that seeds name; without seeds, those that the question names.

    Raises:
        LinkError: A seed does not exist.
    """
    return [_resolved(graph, seed) for seed in seeds] or mentioned(graph, question)


def _resolved(graph: Labels, seed: Any) -> int:
    """Return the entity that a seed names: its id, its key, or a name that equals a label or alias after folding.

    Raises:
        LinkError: There is none.
    """
    if not isinstance(seed, str):
        return _known_id(graph, seed)
    try:
        return graph.entity(seed)
    except LinkError:
        candidates, form = graph.search(seed, _SEARCHED), name_form(seed)
    equal = [entity for entity in candidates if form in map(name_form, _names(graph, entity))]
    if equal:  # the same signs count first: C++ is not C
        same = nfc(seed).casefold()
        return min(equal, key=lambda entity: same not in [nfc(name).casefold() for name in _names(graph, entity)])
    near = f"nearest: {listed(graph, candidates)}" if candidates else "and no label is near"
    raise LinkError(
        f"no entity of {type(graph).__name__} has the key or label {seed[:80]!r}; {near}",
        code="seeds.unknown_name",
        name=seed,
        nearest=[graph.label(entity) for entity in candidates[:_SHOWN]],
    )


def _known_id(graph: Labels, seed: Any) -> int:
    """Return an entity id as a plain integer.

    Raises:
        LinkError: The seed is not an id, or the graph does not have it.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise LinkError(f"a seed is an entity id, a key or a label, got {seed!r}", code="seeds.bad_type")
    unknown = LinkError(
        f"seed {seed} is not an entity id of {type(graph).__name__}", code="seeds.unknown_id", seed=int(seed)
    )
    if seed < 0:  # Python would count from the end
        raise unknown
    try:
        graph.key(int(seed))
    except IndexError as error:
        raise unknown from error
    return int(seed)


def mentioned(graph: Labels, question: str) -> list[int]:
    """Return the entities whose names occur in a question as whole words, longest first, without overlap.

    Of names that differ in signs only, the one whose signs stand in the question is taken.
    """
    return list(readings(graph, question))


def readings(graph: Labels, question: str) -> dict[int, list[int]]:
    """Return the entities that `mentioned` returns, each with the others that its name fits as well."""
    text = nfc(question)
    words: list[Token | None] = [*tokens(text)]
    names: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    for entity in graph.search(question, _SEARCHED):
        for name in _names(graph, entity):
            names.setdefault(tuple(token.text for token in tokens(nfc(name))), []).append((entity, name))
    entities: dict[int, list[int]] = {}
    for form in sorted(filter(None, names), key=lambda form: -len(" ".join(form))):
        for start in range(len(words) - len(form) + 1):
            part = [word for word in words[start : start + len(form)] if word is not None]
            if tuple(word.text for word in part) == form:
                fits = [(fit(text, part, name), entity) for entity, name in names[form]]
                best, entity = min(fits, key=lambda one: (one[0].missing, one[0].extra))
                same = [other for one, other in fits if (one.missing, one.extra) == (best.missing, best.extra)]
                entities[entity] = [other for other in dict.fromkeys(same) if other != entity]
                words[start : start + len(form)] = [None] * len(form)
    return entities


def _names(graph: Labels, entity: int) -> list[str]:
    return [graph.label(entity), *graph.aliases(entity)]


def listed(graph: Labels, entities: Sequence[int]) -> str:
    """Return the first three entities in words, and the number of the others."""
    more = f" and {len(entities) - _SHOWN:,} more" if len(entities) > _SHOWN else ""
    return ", ".join(map(graph.describe, entities[:_SHOWN])) + more
