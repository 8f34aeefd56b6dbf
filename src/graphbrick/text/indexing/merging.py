"""Names that are one entity in a graph made from text: list, propose, merge, undo, and keep apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, check_limits, silent
from graphbrick.core.errors import InputError, LinkError
from graphbrick.core.files.locks import claim
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.language.folding import fold_name
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.vectors.store import store_of
from graphbrick.text.documents.imported import IMPORTED
from graphbrick.text.documents.store import TextStore
from graphbrick.text.indexing.indexing import Indexed, index, stored_extractor

_BLOCK = 1024
_MOST_COMPARED = 40_000  # entities compared with each other: about ten seconds
_SHORTEST = 3  # letters and digits of a name that is compared
_NUMBER = re.compile(r"\d+")
_SHOWN = 3


class Folded(NamedTuple):
    """An entity with several spellings, which differ by more than case.

    Attributes:
        name: Its most frequent spelling.
        spellings: The others, most frequent first.
    """

    name: str
    spellings: tuple[str, ...]


class Proposal(NamedTuple):
    """Two entities that may be one.

    Attributes:
        alias: Name of the one that fewer passages mention.
        name: Name of the other.
        cosine: Similarity of the embeddings of their names.
    """

    alias: str
    name: str
    cosine: float


@dataclass
class Merges:
    """The names of a graph that are one entity.

    Attributes:
        folded: Entities with several spellings, merged because case, articles, possessives and plurals do not count.
        merged: Keys that the user has merged into others, with these.
        apart: Keys that the user keeps apart.
    """

    folded: list[Folded]
    merged: list[tuple[str, str]]
    apart: list[str]


def merges_of(path: str | PathLike[str]) -> Merges:
    """Return the names of a graph that are one entity.

    Raises:
        InputError: The graph was not made from documents.
    """
    graph, by_user = _open(Path(path))
    folded = []
    for entity in range(graph.n_entities):
        spellings = tuple(one for one in graph.aliases(entity) if fold_name(one) not in by_user)
        if spellings:
            folded.append(Folded(graph.label(entity), spellings))
    return Merges(
        sorted(folded),
        [(alias, name) for alias, name in by_user.items() if alias != name],
        [alias for alias, name in by_user.items() if alias == name],
    )


def proposed_merges(
    path: str | PathLike[str], embedder: Embedder, *, at_least: float = 0.85, n: int = 50
) -> list[Proposal]:
    """Return pairs of entities whose names are similar, most similar first.

    Pairs with different numbers in their names («1998», «1999») or with different types are left out, and names that
    are kept apart. Of very many entities, the 40,000 that most passages mention are compared.

    Args:
        path: The graph.
        embedder: Compares the names.
        at_least: Lowest cosine, in (0, 1].
        n: Most pairs, at least 1.

    Raises:
        InputError: The graph was not made from documents.
    """
    graph, by_user = _open(Path(path))
    mentioned = np.bincount(graph.mentions[1], minlength=graph.n_entities)
    apart = {alias for alias, name in by_user.items() if alias == name}
    order = np.argsort(-mentioned, kind="stable")[:_MOST_COMPARED].tolist()
    entities = [
        entity
        for entity in sorted(order)
        if graph.key(entity) not in apart and sum(map(str.isalnum, graph.label(entity))) >= _SHORTEST
    ]
    labels = [graph.label(entity) for entity in entities]
    if not labels:
        return []
    vectors = store_of(graph).get(embedder, labels).astype(np.float32)
    proposals = []
    for one, other, cosine in _similar(vectors, at_least):
        if _may_be_one(graph, entities[one], entities[other]):
            pair = sorted((entities[one], entities[other]), key=lambda entity: (mentioned[entity], -entity))
            proposals.append(Proposal(graph.label(pair[0]), graph.label(pair[1]), cosine))
    return sorted(proposals, key=lambda proposal: (-proposal.cosine, proposal.alias, proposal.name))[:n]


def change_merges(
    path: str | PathLike[str],
    *,
    merge: Iterable[tuple[str, str]] = (),
    undo: Iterable[str] = (),
    apart: Iterable[str] = (),
    progress: Progress = silent,
) -> Indexed:
    """Merge names, take merges back, or keep names apart; then bring the graph up to date.

    Args:
        path: The graph.
        merge: Pairs of a name and the name of the entity that it means.
        undo: Names that were merged or kept apart.
        apart: Names that are to be an entity of their own.
        progress: Called now and then.

    Raises:
        InputError: A name is not known, or two are the same already; nothing is changed then.
    """
    place = Path(path)
    graph, _ = _open(place)
    with TextStore(text_folder(place)) as store, claim(text_folder(place) / "index.lock", wait=True):
        if store.setting(IMPORTED) is not None:
            raise InputError(f"{place} was imported, and names are merged where it was made", code="merges.imported")
        if any(store.missing(part.identity) for part in stored_extractor(store).parts):
            raise InputError(
                f"{place} has passages that are not extracted yet; run graphbrick index {place} first",
                code="merges.not_extracted",
            )
        with store.transaction():
            for name in undo:
                _undo(store, place, name)
            for alias, name in merge:
                _merge(store, graph, alias, name)
            for name in apart:
                key = _known(graph, name, dict(store.merges()))
                store.merge(key, key)
    return index([], place, skip_bad=True, progress=progress)


def _open(path: Path) -> tuple[TextGraph, dict[str, str]]:
    """Return a graph, and the merges of its user."""
    folder = text_folder(path)
    if not folder.is_dir():
        raise InputError(f"{path} was not made from documents (graphbrick index)", code="merges.not_from_documents")
    with TextStore(folder) as store:
        return TextGraph.open(path), dict(store.merges())


def _undo(store: TextStore, path: Path, name: str) -> None:
    key = fold_name(name)
    if key not in dict(store.merges()):
        raise InputError(
            f"{name!r} was neither merged nor kept apart by you; graphbrick merges {path} lists what was, and --apart "
            "keeps apart a name that is merged by folding",
            code="merges.not_merged",
            name=name,
        )
    store.unmerge(key)


def _merge(store: TextStore, graph: TextGraph, alias: str, name: str) -> None:
    by_user = dict(store.merges())
    key, target = _known(graph, alias, by_user), graph.key(_entity(graph, name))
    met = target
    while met != key and by_user.get(met, met) != met:
        met = by_user[met]
    if met == key:
        raise InputError(
            f"{alias!r} and {name!r} are the same entity already ({graph.label(graph.entity(target))})",
            code="merges.same_entity",
            alias=alias,
            name=name,
        )
    store.merge(key, target)


def _known(graph: TextGraph, name: str, by_user: Mapping[str, str]) -> str:
    """Return the key of a name that occurs in the documents."""
    key = fold_name(name)
    if key not in by_user:
        _entity(graph, name)  # also if its name is a spelling of another entity
    return key


def _entity(graph: TextGraph, name: str) -> int:
    """Return the entity that a name means.

    Raises:
        InputError: There is none, or there are several.
    """
    try:
        return graph.entity(fold_name(name))
    except LinkError:
        named = graph.named(name)
    if len(named) == 1:
        return named[0]
    if named:
        several = ", ".join(graph.key(entity) for entity in named[:_SHOWN])
        raise InputError(
            f"{name!r} means several entities ({several}); name one of these", code="merges.several_entities", name=name
        )
    near = ", ".join(repr(graph.label(entity)) for entity in graph.search(name, _SHOWN))
    raise InputError(
        f"{graph.path} has no entity {name!r}{f'; did you mean {near}?' if near else ''}",
        code="merges.no_entity",
        name=name,
        near=near,
    )


def _similar(vectors: npt.NDArray[np.float32], at_least: float) -> Iterable[tuple[int, int, float]]:
    """Yield the pairs of rows with at least some cosine, the lower first."""
    for start in range(0, len(vectors), _BLOCK):
        check_limits()
        scores = vectors[start : start + _BLOCK] @ vectors.T
        rows, columns = np.nonzero(scores >= at_least)
        upper = columns > rows + start
        for row, column in zip(rows[upper].tolist(), columns[upper].tolist(), strict=True):
            yield row + start, column, float(scores[row, column])


def _may_be_one(graph: TextGraph, one: int, other: int) -> bool:
    """Return whether two entities with similar names may be one: same numbers, no other types."""
    numbers = [sorted(_NUMBER.findall(graph.label(entity))) for entity in (one, other)]
    types = [set(graph.types(entity)) for entity in (one, other)]
    return numbers[0] == numbers[1] and not (types[0] and types[1] and types[0].isdisjoint(types[1]))
