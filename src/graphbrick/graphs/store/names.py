"""Find entities by name: an exact index over folded labels and aliases, and a trigram index.

A *name* is the label of an entity or one of its aliases. Name ids 0 to n-1 are the labels in entity order; the aliases
follow. Both indexes are sorted arrays on disk, read by memory map.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from graphbrick.core.trace import event
from graphbrick.graphs.store.strings import StringTable, open_array
from graphbrick.kernels.loading import numba_is_loaded, worth_loading
from graphbrick.language.folding import EDIT_LETTERS, name_form, one_edits
from graphbrick.language.hashing import gram_hashes, span_hash, trigrams

# A trigram that occurs in more names than this is used only if no rarer one is found.
_COMMON = 20_000
_CANDIDATES = 400
_LONGEST_MISSPELT = 64
_EDITS_SECONDS = 2e-5  # the hashes of a text of n letters take n * n times that in Python


_SIMILAR, _VERY_SIMILAR = 0.5, 0.7  # names that may be meant: one with a word of the text, and any


@dataclass(frozen=True, slots=True)
class NearMatch:
    """An entity whose name is similar to a text, with the similarity in [0, 1] (1: equal after folding)."""

    entity: int
    name: str
    score: float

    def may_be_meant_by(self, text: str) -> bool:
        """Return whether a text may mean this name: it is very similar, or similar and with a word of it.

        >>> NearMatch(0, "cart-worker", 0.56).may_be_meant_by("cart-db")
        True
        >>> NearMatch(0, "auth-worker", 0.56).may_be_meant_by("weather")
        False
        """
        if self.score >= _VERY_SIMILAR:
            return True
        return self.score >= _SIMILAR and bool({*name_form(text).split()} & {*name_form(self.name).split()})


class Names(Protocol):
    """Exact look-up of names; implemented by `NameIndex` and the names of a changed graph."""

    def known(self, spans: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Return a mask of the span hashes that equal the hash of a name."""

    def exact(self, folded: str) -> list[int]:
        """Return the ids of all names that fold to this text, ascending."""


def names_of(names: Names, text: str) -> list[int]:
    """Return the ids of all names that equal a text after folding, also as folders of earlier versions folded it."""
    return names.exact(name_form(text)) or ([] if text.isascii() else names.exact(_form_before(text)))


def _form_before(text: str) -> str:
    from graphbrick.language.folding_before import form_before  # only names with other than ASCII letters need it

    return form_before(text)


def _has_form(name: str, folded: str) -> bool:
    return name_form(name) == folded or (not name.isascii() and _form_before(name) == folded)


def misspelt(names: Names, folded: str) -> list[int]:
    """Return the ids of all names that are one typing error away from a folded text, ascending.

    A typing error is a character that is inserted, left out, replaced, or swapped with its neighbour; it may be a
    space. The search is complete, and takes a fraction of a millisecond in a graph of any size. Texts of more than 64
    characters, or with letters other than a to z, digits and spaces, have no matches.
    """
    if not 0 < len(folded) <= _LONGEST_MISSPELT or not folded.isascii():
        return []
    hits = np.flatnonzero(names.known(_edit_hashes(folded)))
    texts = one_edits(folded) if len(hits) else []
    forms = {texts[hit] for hit in hits.tolist()} - {folded}
    return sorted({name for form in forms for name in names.exact(form)})


def _edit_hashes(folded: str) -> npt.NDArray[np.uint64]:
    """Return the hashes of `one_edits`, without numba as long as there is little to do."""
    if not numba_is_loaded() and not worth_loading(_EDITS_SECONDS * len(folded) ** 2):
        return np.array([span_hash(text) for text in one_edits(folded)], dtype=np.uint64)
    from graphbrick.kernels.strings.misspellings import hash_one_edits

    data, letters = (np.frombuffer(text.encode(), dtype=np.uint8) for text in (folded, EDIT_LETTERS))
    return hash_one_edits(data, letters)


def most_similar(
    folded: str, names: Iterable[tuple[int, str]], best: dict[int, NearMatch], n: int, min_score: float
) -> list[NearMatch]:
    """Return the ``n`` entities whose names are most similar to a folded text, best first, equal ones by id.

    Args:
        folded: The text in its `name_form`.
        names: Entities, each with one of its names; of equally similar names of an entity the first counts.
        best: The best match so far of each entity; it is extended.
        n: Number of matches at most.
        min_score: Least similarity.
    """
    from rapidfuzz import fuzz

    for entity, name in names:
        score = fuzz.ratio(folded, name_form(name), score_cutoff=100 * min_score) / 100
        if score >= min_score and score > 0 and (entity not in best or score > best[entity].score):
            best[entity] = NearMatch(entity, name, score)
    return sorted(best.values(), key=lambda match: (-match.score, match.entity))[:n]


class NameIndex:
    """Index of the names of a graph's entities, for exact (after folding) and approximate search."""

    EXACT = ("name_hash.npy", "name_id.npy", "alias_entity.npy")
    NEAR = ("gram.npy", "gram_end.npy", "gram_name.npy")

    def __init__(self, folder: Path, labels: StringTable, max_tokens: int, *, near: bool = True) -> None:
        self._labels = labels
        self._aliases = StringTable.open(folder, "aliases")
        self._hash, self._id, self._alias_entity = (open_array(folder / name) for name in self.EXACT)
        self._grams = tuple(open_array(folder / name) for name in self.NEAR) if near else None
        self.max_tokens = max_tokens

    @classmethod
    def write(cls, folder: Path, labels: Sequence[str], aliases: Sequence[tuple[int, str]]) -> int:
        """Write the aliases and both indexes, and return the number of words in the longest name.

        Args:
            folder: The folder to write to.
            labels: The label of every entity, by id.
            aliases: (entity, alias) pairs, sorted by entity.
        """
        # Imported here because they need the kernels; reading does not.
        from graphbrick.graphs.store.writing.search import write_names
        from graphbrick.graphs.store.writing.string_writer import write_strings

        write_strings(folder, "aliases", (alias for _, alias in aliases))
        np.save(folder / cls.EXACT[-1], np.array([e for e, _ in aliases], dtype=np.int32))
        return write_names(folder, [*labels, *(alias for _, alias in aliases)])

    def name(self, name: int) -> str:
        """Return the text of a name."""
        return self._labels[name] if name < len(self._labels) else self._aliases[name - len(self._labels)]

    def entity(self, name: int) -> int:
        """Return the entity that a name belongs to."""
        return name if name < len(self._labels) else int(self._alias_entity[name - len(self._labels)])

    def aliases(self, entity: int) -> list[str]:
        """Return the aliases of an entity, in the order of the source."""
        first, last = np.searchsorted(self._alias_entity, [entity, entity + 1])
        return [self._aliases[i] for i in range(int(first), int(last))]

    def known(self, spans: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Return a mask of the span hashes that equal the hash of a name; confirm a match with `exact`."""
        if not len(self._hash):
            return np.zeros(len(spans), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self._hash, spans), len(self._hash) - 1)
        return np.asarray(self._hash[at] == spans)

    def exact(self, folded: str) -> list[int]:
        """Return the ids of all names that fold to this text, ascending."""
        value = np.uint64(span_hash(folded))
        first, last = np.searchsorted(self._hash, value, "left"), np.searchsorted(self._hash, value, "right")
        # Two texts may share a hash, so compare the names.
        return [int(i) for i in self._id[first:last] if _has_form(self.name(int(i)), folded)]

    def near(self, text: str, n: int, *, min_score: float = 0.0) -> list[NearMatch]:
        """Return the ``n`` entities whose names are most similar to a text, best first.

        Candidates share rare character trigrams with the text. They are ranked by the normalised Indel similarity of
        the folded names (rapidfuzz ``ratio``); ties are broken by entity id.
        """
        folded = name_form(text)
        if not folded:
            return []
        if self._grams is None:
            reason = (
                f"near misses of {text[:80]!r} were not looked for: the graph was built without their index (--near)"
            )
            event(reason, "names.no_near_index", text=text[:80])
            return []
        names = ((self.entity(name), self.name(name)) for name in self._candidates(trigrams(folded)))
        return most_similar(folded, names, {}, n, min_score)

    def containing(self, folded: str) -> list[int]:
        """Return the entities whose names contain a word sequence, ascending; incomplete for very common words.

        Args:
            folded: The words as `graphbrick.language.folding.fold` writes them.
        """
        if self._grams is None or not folded:
            return []
        wanted = f" {folded} "
        names = self._candidates(trigrams(folded), every=True)
        return sorted({self.entity(name) for name in names if wanted in f" {name_form(self.name(name))} "})

    def _candidates(self, grams: Iterable[int], *, every: bool = False) -> list[int]:
        """Return the names that share most trigrams with the text; only lists of rare trigrams are read.

        Args:
            grams: The trigrams of the text.
            every: Whether only names are wanted that have every trigram.
        """
        if self._grams is None or not len(self._grams[0]):
            return []
        known, list_ends, names_of = self._grams
        wanted = gram_hashes(list(grams))
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        at = at[known[at] == wanted]
        if every and len(at) < len(wanted):
            return []
        starts = np.where(at > 0, list_ends[np.maximum(at - 1, 0)], 0).astype(np.int64)
        ends = list_ends[at].astype(np.int64)
        rows = sorted(zip(ends - starts, starts, ends, strict=True))
        postings: list[npt.NDArray[np.int32]] = []
        for size, start, end in rows:
            if postings and size > _COMMON:
                break
            postings.append(names_of[start:end])
        if not postings:
            return []
        names, counts = np.unique(np.concatenate(postings), return_counts=True)
        if every:
            names, counts = names[counts == len(postings)], counts[counts == len(postings)]
        order = np.lexsort((names, -counts))[:_CANDIDATES]
        return [int(i) for i in names[order]]
