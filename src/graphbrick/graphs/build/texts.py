"""The text phase of a build: write labels, keys, descriptions, aliases and types in id order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.graphs.build.dictionary import FIRST, KEY, TEXTS
from graphbrick.graphs.build.values import PLACED, VALUES, Columns, spool_triple_values
from graphbrick.graphs.records.interner import Interner, spans_of, text_at
from graphbrick.graphs.records.rdf_names import local_aliases
from graphbrick.graphs.records.records import ALIAS, DESCRIPTION, IS_TRIPLE, LABEL, LATEST, PROPERTY, TYPE, LeftOut
from graphbrick.graphs.store.strings import StringTable
from graphbrick.graphs.store.writing.arrays import ArrayWriter
from graphbrick.graphs.store.writing.buckets import BucketReader, BucketWriter, bucket_of_hash, groups
from graphbrick.graphs.store.writing.search import SearchWriter, hash_rows
from graphbrick.graphs.store.writing.string_writer import StringWriter
from graphbrick.kernels.positions import ranks, ranks_before
from graphbrick.kernels.strings.cells import numbers_before
from graphbrick.kernels.strings.names import camel_names, local_spans
from graphbrick.kernels.strings.ntriples import OTHER
from graphbrick.kernels.strings.spans import Bytes, Offsets, copy_spans, hash_spans, same_spans
from graphbrick.kernels.strings.spooling import read_texts

KEY_HASHES = "key_hashes.tmp"
"""Rows (64-bit hash, entity id) of every key, in buckets by hash."""

_NO_LABEL = 255
_EXAMPLE = 80  # letters
Naming = Callable[[str], str]
Ids = npt.NDArray[np.int64]


class Spans:
    """Texts stored as byte spans of one buffer."""

    def __init__(self, data: Bytes, starts: Offsets, ends: Offsets) -> None:
        self.data, self.starts, self.ends = data, starts, ends

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, chosen: npt.NDArray[np.integer | np.bool_]) -> Spans:
        """Return the selected texts, in the order of ``chosen``."""
        return Spans(self.data, self.starts[chosen], self.ends[chosen])

    def text(self, i: int) -> str:
        """Return text ``i`` as a Python string."""
        return text_at(self.data, self.starts[i], self.ends[i])

    def replace(self, where: npt.NDArray[np.integer], texts: Spans) -> Spans:
        """Return a copy in which the texts at the indices ``where`` are replaced by ``texts``."""
        data = np.concatenate([self.data, copy_spans(texts.data, texts.starts, texts.ends)])
        sizes = texts.ends - texts.starts
        ends = len(self.data) + np.cumsum(sizes)
        starts_of, ends_of = self.starts.copy(), self.ends.copy()
        starts_of[where], ends_of[where] = ends - sizes, ends
        return Spans(data, starts_of, ends_of)

    def followed_by(self, texts: Spans) -> Spans:
        """Return these texts and then those of ``texts``."""
        shift = len(self.data)
        data = np.concatenate([self.data, texts.data])
        starts, ends = (
            np.concatenate([own, more + shift]) for own, more in ((self.starts, texts.starts), (self.ends, texts.ends))
        )
        return Spans(data, starts, ends)

    @property
    def arguments(self) -> tuple[Bytes, Offsets, Offsets]:
        """The arguments (data, starts, ends) of kernels and writers."""
        return self.data, self.starts, self.ends


class TextWriter:
    """Writer of the names, descriptions and types of entities, one group of ids at a time.

    Args:
        work: The folder of the build.
        entities: Number of entities.
        name: Function from a key to the label of an entity without one; None to use the key itself.
        columns: The columns of properties.
        left_out: Receives the descriptions that are not kept.
        near: Whether to write the trigrams that find near misses.
    """

    def __init__(
        self, work: Path, entities: int, name: Naming | None, columns: Columns, left_out: LeftOut, *, near: bool
    ) -> None:
        self._work, self._name, self._columns, self._left_out = work, name, columns, left_out
        self._types = Interner()
        self._keys_differ = False
        self._descriptions = 0
        self._type_counts: list[npt.NDArray[np.int64]] = []
        self._first_alias = entities
        self._search = SearchWriter(work, near=near)

    def run(self, progress: Progress) -> int:
        """Write all tables and return the number of words in the longest name."""
        work = self._work
        bits = np.fromfile(work / FIRST, dtype=np.uint64)
        before = ranks_before(bits)
        with ExitStack() as stack:
            texts = stack.enter_context(BucketReader(work / TEXTS))
            self._labels, self._keys, self._aliases, self._descriptions_table = (
                stack.enter_context(StringWriter(work, name)) for name in ("labels", "keys", "aliases", "descriptions")
            )
            self._key_hashes = stack.enter_context(BucketWriter(work / KEY_HASHES))
            self._alias_entity = stack.enter_context(ArrayWriter(work / "alias_entity.npy", np.int32))
            self._type_ids = stack.enter_context(ArrayWriter(work / "type_id.npy", np.int32))
            self._type_ptr = stack.enter_context(ArrayWriter(work / "type_ptr.npy", np.uint32))
            self._type_ptr.extend(np.zeros(1, dtype=np.uint32))
            self._type_count = 0
            stack.enter_context(self._search)
            self._values = stack.enter_context(BucketWriter(work / VALUES)) if self._columns.all else None
            for begin, end in groups([texts], progress):
                self._group(texts.contents(begin, end), bits, before)
            if self._values is not None and (work / PLACED).exists():
                spool_triple_values(work, self._columns, self._values)
        self._drop_empty()
        return self._search.longest

    def _group(self, stream: Bytes, bits: npt.NDArray[np.uint64], before: npt.NDArray[np.uint32]) -> None:
        if not len(stream):
            return
        first, _, _, kind, rank, serial, starts, ends = read_texts(stream, False)
        ids = ranks(bits, before, first).astype(np.int64)
        # Sort by entity, kind and quality: the best label and description come first; other texts keep source order.
        latest = (kind == LABEL) | (kind == DESCRIPTION) | (kind == PROPERTY)
        latest &= rank == LATEST
        order = ((rank % IS_TRIPLE).astype(np.int64) << 32) | np.where(
            latest, 0xFFFFFFFF - serial.astype(np.int64), serial
        )
        sorted_ = np.lexsort((order, kind, ids))
        ids, kind, texts = ids[sorted_], kind[sorted_], Spans(stream, starts[sorted_], ends[sorted_])
        low = int(ids[0])
        keys = texts.take(kind == KEY)
        labels = self._write_labels(low, keys, ids, kind, texts)
        rank = rank[sorted_]
        replaced = (kind == LABEL) & (rank == LATEST)  # names with a rank become aliases
        self._note_replaced("names of entities that another row replaces", low, labels, ids, replaced, texts)
        self._write_descriptions(low, len(keys), ids, kind, texts, rank)
        rows = np.flatnonzero((kind == ALIAS) | ((kind == LABEL) & (rank > LATEST)))
        best = _first_of(ids, kind == LABEL)
        local = self._local_names(low, keys, labels, ids[best], rank[best])
        names, own = self._names_in_properties(kind, texts)
        self._write_aliases(low, labels, *_merged(ids[rows], texts.take(rows), ids[names], own), *local)
        self._write_types(low, len(keys), ids, kind, texts)
        if self._values is not None:
            self._write_properties(self._values, ids, kind, texts)

    def _names_in_properties(self, kind: Bytes, texts: Spans) -> tuple[Ids, Spans]:
        """Return the rows of properties that are further names, such as the official name, and their texts."""
        rows = np.flatnonzero(kind == PROPERTY)
        if len(rows):
            rows = rows[self._columns.are_names[numbers_before(texts.data, texts.starts[rows])]]
        return rows, Spans(texts.data, texts.starts[rows] + 4, texts.ends[rows])

    def _write_labels(self, low: int, keys: Spans, ids: Ids, kind: Bytes, texts: Spans) -> Spans:
        labels = self._named(keys)
        best = _first_of(ids, kind == LABEL)
        labels = labels.replace(ids[best] - low, texts.take(best))
        self._keys_differ = self._keys_differ or not bool(same_spans(*keys.arguments, *labels.arguments).all())
        self._keys.extend(*keys.arguments)
        self._labels.extend(*labels.arguments)
        entities = np.arange(low, low + len(keys), dtype=np.int32)
        hashes = hash_spans(*keys.arguments)
        self._key_hashes.rows(hash_rows(hashes, entities), bucket_of_hash(hashes))
        self._search.add(labels.arguments, entities)
        return labels

    def _named(self, keys: Spans) -> Spans:
        """Return the default labels, for entities without a label of their own."""
        if self._name is None:
            return keys
        starts, ends, left = local_spans(*keys.arguments)
        named = Spans(keys.data, starts, ends)
        others = np.flatnonzero(left)
        if not len(others):
            return named
        return named.replace(others, Spans(*spans_of(self._name(keys.text(i)) for i in others.tolist())))

    def _write_descriptions(self, low: int, count: int, ids: Ids, kind: Bytes, texts: Spans, rank: Bytes) -> None:
        best = _first_of(ids, kind == DESCRIPTION)
        self._descriptions += len(best)
        none = np.zeros(count, dtype=np.int64)
        described = Spans(texts.data, none, none).replace(ids[best] - low, texts.take(best))
        self._descriptions_table.extend(*described.arguments)
        lost = (kind == DESCRIPTION) & (rank < IS_TRIPLE)
        self._note_replaced("descriptions of entities that have another one", low, described, ids, lost, texts)

    def _note_replaced(
        self, what: str, low: int, winners: Spans, ids: Ids, chosen: npt.NDArray[np.bool_], texts: Spans
    ) -> None:
        """Count the chosen texts that differ from the one in ``winners``, which is kept for their entity."""
        rows = np.flatnonzero(chosen)
        rows = rows[~same_spans(*texts.take(rows).arguments, *winners.take(ids[rows] - low).arguments)]
        if len(rows):
            self._left_out.add(what, texts.text(rows[0])[:_EXAMPLE], len(rows))

    def _local_names(self, low: int, keys: Spans, labels: Spans, ids: Ids, rank: Bytes) -> tuple[Ids, Spans]:
        """Return the names that IRIs give to entities without a label in the preferred language.

        Args:
            low: The first id.
            keys: The keys by id.
            labels: The labels by id.
            ids: The ids of entities with a label.
            rank: The ranks of their labels.
        """
        if self._name is None:
            return np.empty(0, dtype=np.int64), Spans(keys.data, *np.empty((2, 0), dtype=np.int64))
        best = np.full(len(keys), _NO_LABEL, dtype=np.uint8)
        best[ids - low] = rank
        chosen = np.flatnonzero((best == OTHER) | ((best == _NO_LABEL) & camel_names(*labels.arguments)))
        counts: list[int] = []

        def names() -> Iterator[str]:
            for i in chosen.tolist():
                aliases = local_aliases(keys.text(i), labels.text(i))
                counts.append(len(aliases))
                yield from aliases

        spans = Spans(*spans_of(names()))
        return low + np.repeat(chosen, counts), spans

    def _write_aliases(self, low: int, labels: Spans, ids: Ids, names: Spans, local_ids: Ids, local: Spans) -> None:
        """Write the aliases that differ from the label; labels that did not win are among them."""
        differs = ~same_spans(*names.arguments, *labels.take(ids - low).arguments)
        ids, names = ids[differs], names.take(differs)
        ids, names = _merged(ids, names, local_ids, local)
        if not len(ids):
            return
        distinct = _distinct(ids, names)
        ids, aliases = ids[distinct], names.take(distinct)
        self._aliases.extend(*aliases.arguments)
        self._alias_entity.extend(ids)
        numbers = np.arange(self._first_alias, self._first_alias + len(ids), dtype=np.int32)
        self._first_alias += len(ids)
        self._search.add(aliases.arguments, numbers)

    def _write_types(self, low: int, count: int, ids: Ids, kind: Bytes, texts: Spans) -> None:
        rows = np.flatnonzero(kind == TYPE)
        if len(rows):
            rows = rows[_distinct(ids[rows], texts.take(rows))]
            self._type_ids.extend(self._types.number(*texts.take(rows).arguments))
        ends = self._type_count + np.cumsum(np.bincount(ids[rows] - low, minlength=count))
        self._type_ptr.extend(ends)
        self._type_count = int(ends[-1])

    def _write_properties(self, values: BucketWriter, ids: Ids, kind: Bytes, texts: Spans) -> None:
        """Write the latest value of each property of the entities of a group; count those that it replaces."""
        rows = np.flatnonzero(kind == PROPERTY)
        if not len(rows):
            return
        column = numbers_before(texts.data, texts.starts[rows])
        name, ids = self._columns.names[column], ids[rows]
        order = np.lexsort((name, ids))  # stable: the latest value of each name comes first
        new = np.ones(len(rows), dtype=np.bool_)
        new[1:] = (ids[order[1:]] != ids[order[:-1]]) | (name[order[1:]] != name[order[:-1]])
        latest = order[new]
        winner = latest[np.cumsum(new) - 1]
        own = Spans(texts.data, texts.starts[rows] + 4, texts.ends[rows])
        replaced = order[~same_spans(*own.take(order).arguments, *own.take(winner).arguments)]
        if len(replaced):
            example = f"{self._columns.all_names[name[replaced[0]]]}: {own.text(replaced[0])[:_EXAMPLE]}"
            what = "values of properties that another row of the same entity replaces"
            self._left_out.add(what, example, len(replaced))
        spans = (texts.data, texts.starts[rows[latest]] + 4, texts.ends[rows[latest]])
        self._columns.spool(values, spans, ids[latest], column[latest])

    def _drop_empty(self) -> None:
        """Delete unused tables: keys that equal the labels, empty types, empty descriptions."""
        unused = [] if self._keys_differ else [StringTable.file("keys")]
        unused += [] if self._descriptions else [StringTable.file("descriptions")]
        if len(self._types):
            with StringWriter(self._work, "types") as table:
                table.extend(*self._types.texts)
        else:
            unused += ["type_id.npy", "type_ptr.npy"]
        for name in unused:
            (self._work / name).unlink()


def _first_of(ids: Ids, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the index of the first chosen row of each id; ``ids`` is sorted."""
    places = np.flatnonzero(chosen)
    new = np.ones(len(places), dtype=np.bool_)
    new[1:] = ids[places[1:]] != ids[places[:-1]]
    return places[new]


def _merged(ids: Ids, texts: Spans, more_ids: Ids, more: Spans) -> tuple[Ids, Spans]:
    """Return texts and further ones by id; those of one id keep their order."""
    if not len(more_ids):
        return ids, texts
    ids, texts = np.concatenate([ids, more_ids]), texts.followed_by(more)
    order = np.argsort(ids, kind="stable")
    return ids[order], texts.take(order)


def _distinct(ids: Ids, texts: Spans) -> npt.NDArray[np.bool_]:
    """Return a mask of the texts that are not repeated within their entity.

    Hashes find the candidates; comparing the texts decides.
    """
    hashes = hash_spans(*texts.arguments)
    order = np.lexsort((hashes, ids))  # stable: equal texts keep their order
    new = np.ones(len(ids), dtype=np.bool_)
    again = np.zeros(len(ids), dtype=np.bool_)
    again[1:] = (ids[order[1:]] == ids[order[:-1]]) & (hashes[order[1:]] == hashes[order[:-1]])
    run: list[int] = []
    for at in np.flatnonzero(again).tolist():
        if not run or not again[at - 1]:
            run = [int(order[at - 1])]
        i = int(order[at])
        new[i] = all(texts.text(i) != texts.text(other) for other in run)
        run.append(i)
    return new
