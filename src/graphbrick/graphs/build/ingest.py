"""First phase of a build: take triples and facts, write keys to buckets, number the relations."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError
from graphbrick.core.files.writing import FileWriter
from graphbrick.graphs.build.value_ingest import ValueIngest
from graphbrick.graphs.records.blocks import FOR_RELATION, NAMES_ONLY, FactBlock, TripleBlock
from graphbrick.graphs.records.interner import Interner, as_bytes, text_at
from graphbrick.graphs.records.records import ALIAS, LABEL, LATEST, RankedFact, RelationRecord
from graphbrick.graphs.records.rules import KEEP, LABEL_OF, LEAVE_OUT, Rules
from graphbrick.graphs.store.writing.buckets import BucketWriter, bucket_of_hash
from graphbrick.graphs.store.writing.string_writer import StringWriter
from graphbrick.kernels.strings.spans import Bytes, Offsets, hash_spans, strip_spans

KEYS, FACTS, RELATION = "keys.tmp", "facts.tmp", "relation.tmp"
"""Files of key occurrences, of facts about keys, and of each triple's relation id (int32, in source order)."""

MOST_POSITIONS = (1 << 32) - 2
"""Highest number of positions: they are u32, and the highest value means «no position»."""

_LITERAL = re.compile(r'"(.*)"(?:@([\w-]+)|\^\^.*)?', re.DOTALL)


class Ingest:
    """First phase of a build: takes triples and facts in blocks.

    Args:
        work: The folder of the build.
        rules: The triples to keep.
        language: The preferred language of labels with a language tag.
    """

    def __init__(self, work: Path, rules: Rules, language: str) -> None:
        self._rules, self._language, self._work = rules, language.strip().casefold(), work
        self._keys = BucketWriter(work / KEYS, pack=True)
        self._facts = BucketWriter(work / FACTS, pack=True)
        self._relation = FileWriter(work / RELATION)
        self._values = ValueIngest(work)
        self._seen = Interner()  # all relations in order of first use, kept or not
        self._action: npt.NDArray[np.int8] = np.empty(0, dtype=np.int8)
        self._number: npt.NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self._prefix = as_bytes(rules.strip.encode())
        self._kept: list[int] = []
        self.relation_labels: dict[str, str] = {}
        self.triples = self.left_out = self.labels = self.facts = self.label_values = 0

    def close(self) -> None:
        """Stop writing and discard what is still in memory."""
        self._relation.abandon()
        self._keys.stop()
        self._facts.stop()
        self._values.stop()

    def finish(self) -> None:
        """Write what is still in memory and the keys of the kept relations."""
        self._relation.close()
        self._keys.close()
        self._facts.close()
        self._values.close()
        text, starts, ends = self._seen.texts
        numbers = np.array(self._kept, dtype=np.int64)
        with StringWriter(self._work, "relation_keys") as table:
            table.extend(text, starts[numbers], ends[numbers])

    @property
    def columns(self) -> list[dict[str, Any]]:
        """The columns of properties, as plain JSON."""
        return self._values.columns()

    @property
    def relations(self) -> int:
        """Number of kept relations."""
        return len(self._kept)

    def relation(self, record: RelationRecord) -> None:
        """Store the label of a relation."""
        self.relation_labels[record.key.removeprefix(self._rules.strip) or record.key] = record.label

    def add(self, block: TripleBlock) -> None:
        """Add a block of triples."""
        data, starts, ends = block.data, block.starts, block.ends
        if not starts.shape[1]:
            return
        if len(self._prefix):
            for part_starts, part_ends in zip(starts, ends, strict=True):
                strip_spans(data, part_starts, part_ends, self._prefix)
        seen = self._seen.number(data, starts[1], ends[1])
        self._settle_relations()
        action = self._action[seen]
        keep = action == KEEP
        if not keep.all():
            self.left_out += int(np.count_nonzero(action == LEAVE_OUT))
            names = action == LABEL_OF
            if names.any():
                self.label_values += 0 if block.values is None else int(names[block.values.triple].sum())
                self._label(data, *(places[:, names] for places in (starts, ends)))
            block, seen = block.kept(keep), seen[keep]
            starts, ends = block.starts, block.ends
        self._values.mark(block, self.triples)
        self._relation.write(self._number[seen])
        self._occurrences(data, starts, ends)

    def _settle_relations(self) -> None:
        """Apply the rules to relations seen for the first time, and number the kept ones."""
        known = len(self._action)
        if len(self._seen) == known:
            return
        new = range(known, len(self._seen))
        action = [self._rules.action(self._seen[relation]) for relation in new]
        number = []
        for relation, what in zip(new, action, strict=True):
            number.append(len(self._kept) if what == KEEP else -1)
            if what == KEEP:
                self._kept.append(relation)
        self._action = np.concatenate([self._action, np.array(action, dtype=np.int8)])
        self._number = np.concatenate([self._number, np.array(number, dtype=np.int32)])

    def _occurrences(self, data: Bytes, starts: Offsets, ends: Offsets) -> None:
        """Write the keys of heads and tails; triple t takes the positions 2 t (head) and 2 t + 1 (tail)."""
        both = np.empty((2, 2 * starts.shape[1]), dtype=np.int64)
        both[0, 0::2], both[0, 1::2] = starts[0], starts[2]
        both[1, 0::2], both[1, 1::2] = ends[0], ends[2]
        self._check_positions(both.shape[1])
        hashes = hash_spans(data, both[0], both[1])
        self._keys.occurrences(data, both[0], both[1], bucket_of_hash(hashes), 2 * self.triples)
        self.triples += starts.shape[1]

    def _check_positions(self, more: int) -> None:
        if 2 * self.triples + self.facts + more > MOST_POSITIONS or 2 * self.triples + more > 1 << 32:
            text = f"more than {1 << 31:,} triples, or as many with facts; leave some out with --exclude"
            raise InputError(text, code="build.too_many_triples")

    def describe(self, block: FactBlock) -> None:
        """Add a block of facts."""
        if len(self._prefix):
            strip_spans(block.data, block.key_starts, block.key_ends, self._prefix)
        kind = block.kind if self._rules.facts_make_entities else block.kind | np.uint8(NAMES_ONLY)
        count = len(kind)
        if not count:
            return
        self._check_positions(count)
        serial = np.arange(self.facts, self.facts + count, dtype=np.uint32)
        bucket = bucket_of_hash(hash_spans(block.data, block.key_starts, block.key_ends))
        keys = (block.data, block.key_starts, block.key_ends)
        self._facts.facts(self._values.texts_of(block), keys, kind, block.rank, serial, bucket)
        self.facts += count

    def _label(self, data: Bytes, starts: Offsets, ends: Offsets) -> None:
        """Add triples whose tail is a label of their head. RDF literals compete by their language.

        Of other tails the last is the label; all are names.
        """
        self.labels += starts.shape[1]
        literal = data[starts[2]] == ord('"')
        plain = ~literal
        kind = np.full(starts.shape[1], LABEL | NAMES_ONLY | FOR_RELATION, dtype=np.uint8)
        rank = np.full(starts.shape[1], LATEST, dtype=np.uint8)
        a, b, c, d = (np.ascontiguousarray(column[plain]) for column in (starts[0], ends[0], starts[2], ends[2]))
        for kind_of_name in (kind, np.full_like(kind, ALIAS | NAMES_ONLY)):
            self.describe(FactBlock(data, a, b, c, d, kind_of_name[plain], rank[plain]))
        texts = (
            [text_at(data, *span) for span in zip(starts[i, literal], ends[i, literal], strict=True)] for i in (0, 2)
        )
        self.describe(FactBlock.of([self._ranked(head, tail) for head, tail in zip(*texts, strict=True)]))

    def _ranked(self, head: str, tail: str) -> RankedFact:
        literal = _LITERAL.fullmatch(tail)
        text, language = literal.groups() if literal else (tail, None)
        tag = (language or "").casefold()
        rank = 1 if tag == self._language else 2 if tag.startswith(self._language + "-") else 4 if tag else 3
        return RankedFact(head, LABEL, text, rank)
