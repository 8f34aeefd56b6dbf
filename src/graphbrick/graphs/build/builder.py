"""Building a graph folder from a source of any size; memory does not grow with the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from graphbrick.core import __version__
from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.graphs.build import rows
from graphbrick.graphs.build.atomic import new_graph_folder, not_written
from graphbrick.graphs.build.dictionary import FIRST, PAIRS, TEXTS, Dictionary
from graphbrick.graphs.build.ingest import FACTS, KEYS, RELATION, Ingest
from graphbrick.graphs.build.parts import file_parts
from graphbrick.graphs.build.steps import Steps, checksums, fingerprint
from graphbrick.graphs.build.texts import KEY_HASHES, TextWriter
from graphbrick.graphs.build.value_ingest import MARKS, TRIPLE_FACTS
from graphbrick.graphs.build.values import PLACED, VALUES, Columns, place_triple_values, write_columns
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.readers import ReadOptions, naming_of_files, opened_source
from graphbrick.graphs.readers.folders import SourceFiles
from graphbrick.graphs.readers.streams import Meter
from graphbrick.graphs.records.blocks import Described, FactBlock, Part, TripleBlock
from graphbrick.graphs.records.checked import checked_records
from graphbrick.graphs.records.interner import Interner
from graphbrick.graphs.records.records import (
    BadRecords,
    EdgeRecord,
    EntityRecord,
    LeftOut,
    RankedFact,
    Record,
    RelationRecord,
    TripleRecord,
)
from graphbrick.graphs.records.rules import Rules
from graphbrick.graphs.store.columns import open_columns
from graphbrick.graphs.store.literals import find_literal_types, value_texts
from graphbrick.graphs.store.manifest import PLAIN_VERSION, SKIPPED, VERSION, FileEntry, Manifest
from graphbrick.graphs.store.strings import StringTable, open_array
from graphbrick.graphs.store.writing import search
from graphbrick.graphs.store.writing.string_writer import write_strings

_SPOOL = 1 << 14  # batch size for single records
_PROGRESS = 1 << 14

NEAR_LIMIT = 20_000_000
"""A graph with more entities has no index for near misses, unless the user requests it."""


def build(
    source: str | PathLike[str] | SourceFiles | Iterable[Record],
    path: str | PathLike[str],
    *,
    nodes: str | PathLike[str] | None = None,
    labels: str | PathLike[str] | None = None,
    options: ReadOptions | None = None,
    rules: Rules | None = None,
    near: bool | None = None,
    skip_bad: bool = False,
    overwrite: bool = False,
    progress: Progress = silent,
) -> Graph:
    """Build a graph folder from a file, a folder of tables, or Python triples, and open it.

    The graph is written to a temporary folder beside ``path`` and renamed at the end: a build that fails or is killed
    never leaves an incomplete graph, and an existing graph is untouched. A killed build is resumed when it is started
    again with the same files and options. Memory does not grow with the graph.

    Args:
        source: A file (``.txt .tsv .csv .parquet .nt .ttl``, also ``.gz`` or ``.zst``), a folder with ``nodes.*`` and
            ``edges.*``, the address of an SQL database such as ``postgresql://host/shop``, or an iterable of (head,
            relation, tail) keys and entity records.
        path: The folder to make.
        nodes: A table with keys, labels, types, descriptions and aliases, when ``source`` is a file of edges.
        labels: A table of keys and labels. It names entities and relations of the source, and adds none.
        options: How to read the source; recognised from the files by default.
        rules: The triples to keep, and the relations that state labels; by default all triples are kept.
        near: Whether misspelt names can be found; by default in graphs of at most 20,000,000 entities.
        skip_bad: Leave bad records out, count them, and list them in ``skipped.jsonl`` of the graph folder.
        overwrite: Replace a graph that is there already.
        progress: Called now and then with the share of each step that is done; of records from Python, their number.

    Raises:
        InputError: A bad record (the message names file and line), or nothing usable in the source.
        GraphbrickError: The target exists, or cannot be written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> triples = [("Kenya", "capital", "Nairobi"), ("Kenya", "currency", "Kenyan shilling")]
    >>> build(triples, Path(tempfile.mkdtemp()) / "kenya.graph")
    Graph('kenya.graph', entities=3, relations=2, triples=2)
    """
    bad, left_out, rules, meter = BadRecords(skip=skip_bad), LeftOut(), rules or Rules(), Meter()
    with ExitStack() as stack:
        if isinstance(source, str | PathLike | SourceFiles):
            label_file, how = None if labels is None else Path(labels), options or ReadOptions()
            files = stack.enter_context(opened_source(source, nodes, how))
            read = file_parts(files, label_file, how, rules, bad, meter, left_out)
            parts: Iterator[Part] = stack.enter_context(closing(read))  # before the source is closed
            all_files = [*files.files, *([] if label_file is None else [label_file])]
            mark = fingerprint(VERSION, __version__, how, rules, near, skip_bad, files.name, files=all_files)
            naming, may_be_empty = naming_of_files(files), files.related is not None
            origin = Origin(files.name, how.language, naming, "" if files.is_live else mark, may_be_empty)
        else:
            if nodes is not None or labels is not None or options is not None:
                text = "nodes, labels and options are for files; records from Python take none of them"
                raise InputError(text, code="build.options_for_files")
            parts, origin = checked_records(source, bad), Origin("Python records")
        builder = stack.enter_context(
            GraphBuilder(path, source=origin, overwrite=overwrite, rules=rules, near=near, progress=progress)
        )
        try:
            builder.left_out = left_out
            if not builder.has_read:
                _feed(builder, parts, meter)
            return builder.finish(bad)
        except OSError as error:
            text = not_written(Path(path), error)
            raise GraphbrickError(text, code="build.not_written", reason=error.strerror or str(error)) from error


@dataclass(frozen=True)
class Origin:
    """The source of the records.

    Attributes:
        name: Name of the source, for the manifest.
        language: Preferred language of labels.
        naming: Function from a key to the label of an entity or relation without one; None to use the key.
        mark: The `fingerprint` of a build that can be resumed; else empty.
        may_be_empty: Whether a graph without triples is made, and not refused.
    """

    name: str
    language: str = "en"
    naming: Callable[[str], str] | None = None
    mark: str = ""
    may_be_empty: bool = False


def _feed(builder: GraphBuilder, parts: Iterable[Part], meter: Meter) -> None:
    """Hand all parts to a builder and report the number of records."""
    count = reported = 0
    for part in parts:
        builder.add(part)
        count += part.starts.shape[-1] if isinstance(part, TripleBlock | FactBlock) else 1
        if count >= reported + _PROGRESS:
            reported = count - count % _PROGRESS
            if meter.total:
                builder.progress("reading", meter.done / meter.total, 1.0)
            else:
                builder.progress("reading", count, None)


class GraphBuilder:
    """Writer of a graph folder that takes records one by one or in blocks; use it as a context manager.

    Records go to files in a hidden folder beside ``path``. Leaving the ``with`` block without `finish` removes them.

    Args:
        path: The folder to make.
        source: Name of the source, for the manifest.
        overwrite: Replace a graph that is there.
        rules: The triples to keep; all by default.
        near: Whether misspelt names can be found; None for graphs of at most 20,000,000 entities.
        progress: Called now and then with the share of each step that is done; of records from Python, their number.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        source: str | Origin,
        overwrite: bool = False,
        rules: Rules | None = None,
        near: bool | None = None,
        progress: Progress = silent,
    ) -> None:
        self.path = Path(path)
        self._origin = source if isinstance(source, Origin) else Origin(source)
        self._rules, self._near = rules or Rules(), near
        self.progress = progress
        self.check_place: Callable[[], None] = lambda: None
        """Raises if the graph at ``path`` must not be replaced by now, such as by a change of an earlier version."""
        self._folder = new_graph_folder(
            self.path, overwrite=overwrite, mark=self._origin.mark, check=lambda: self.check_place()
        )
        self.left_out = LeftOut()
        """Receives what the source says and the graph does not keep."""
        self.units: dict[tuple[str, bool], str] = {}
        """Units that are known already, by name of the property and whether it belongs to triples."""
        self._triples: list[TripleRecord | EdgeRecord] = []
        self._facts: list[EntityRecord | Described | RankedFact] = []

    def __enter__(self) -> GraphBuilder:
        try:
            self._work = self._folder.__enter__()
        except OSError as error:
            raise GraphbrickError(
                f"{self.path} cannot be written ({error.strerror or error}); choose another place for the graph",
                code="build.place_not_writable",
                reason=error.strerror,
            ) from error
        self._steps = Steps(self._work, self._origin.mark, self.progress)
        self._ingest = None if self.has_read else Ingest(self._work, self._rules, self._origin.language)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            if self._ingest is not None:
                self._ingest.close()
        finally:
            self._folder.__exit__(kind, error, tb)

    @property
    def has_read(self) -> bool:
        """True if a resumed build has already read the whole source, so that only `finish` remains."""
        return self._steps.is_done("reading")

    def add(self, part: Part) -> None:
        """Add a record or a block."""
        assert self._ingest is not None
        if isinstance(part, tuple | EdgeRecord):
            self._triples.append(part)
            if len(self._triples) >= _SPOOL:
                self._flush()
        elif isinstance(part, TripleBlock):
            self._flush()  # ids follow the order of the triples
            self._ingest.add(part)
        elif isinstance(part, FactBlock):
            self._flush()
            self._ingest.describe(part)
        elif isinstance(part, RelationRecord):
            self._ingest.relation(part)
        else:
            self._facts.append(part)
            if len(self._facts) >= _SPOOL:
                self._flush()

    def _flush(self) -> None:
        assert self._ingest is not None
        if self._triples:
            self._ingest.add(TripleBlock.of(self._triples))
            self._triples = []
        if self._facts:
            self._ingest.describe(FactBlock.of(self._facts))
            self._facts = []

    def finish(self, bad: BadRecords | None = None) -> Graph:
        """Write the folder, rename it into place and open it; ``self.left_out`` is kept in the manifest."""
        steps, work = self._steps, self._work
        read = steps.run("reading", lambda progress: self._close_reading(bad or BadRecords()))
        keys = steps.run("finding keys", partial(self._find_keys, read), frees=(KEYS, FACTS))
        entities = keys["entities"]
        near = entities <= NEAR_LIMIT if self._near is None else self._near
        triples = self._write_triples(read, entities)
        written = self._write_texts(read["columns"], entities, near=near)
        columns = self._write_columns(read["columns"])
        literals = steps.run("finding numbers and dates", lambda progress: self._literals(read["relations"], columns))
        files = steps.run("checksums", lambda progress: checksums(work))
        not_kept = read["left_out_by_kind"] | keys["left_out"] | written["odd"]
        for file in work.iterdir():
            if ".tmp" in file.name:
                file.unlink()
        Manifest(
            entities=entities,
            relations=read["relations"],
            triples=triples,
            triples_read=read["triples"],
            duplicates=read["triples"] - triples,
            skipped=read["skipped"],
            max_name_tokens=written["longest"],
            source=self._origin.name,
            created_by=f"graphbrick {__version__}",
            files={name: FileEntry(*entry) for name, entry in files.items()},
            left_out=read["left_out"],
            labels_read=read["labels"],
            near=near,
            literals=literals,
            version=VERSION if columns or not_kept else PLAIN_VERSION,
            properties=columns,
            not_kept=not_kept,
            language=tag if (tag := self._origin.language.strip().casefold()) != "en" else "",
        ).write(work)
        self._folder.commit()
        return Graph.open(self.path, passages=False)  # they are written after the graph

    def _close_reading(self, bad: BadRecords) -> dict[str, Any]:
        assert self._ingest is not None
        self._flush()
        ingest = self._ingest
        if not ingest.triples and not self._origin.may_be_empty:
            skipped = f" ({bad.count:,} bad records were left out)" if bad.count else ""
            ruled = f" ({ingest.left_out:,} triples were left out by the rules)" if ingest.left_out else ""
            text = f"no triple found{skipped}{ruled}; a graph needs at least one"
            source, left_out = self._origin.name, ingest.left_out
            raise InputError(text, source, code="build.no_triple", skipped=bad.count, left_out=left_out)
        ingest.finish()
        if ingest.label_values:
            self.left_out.add("values of properties of triples that state labels", n=ingest.label_values)
        if bad.count:
            bad.write(self._work / SKIPPED)
        return {
            "triples": ingest.triples,
            "facts": ingest.facts,
            "left_out": ingest.left_out,
            "labels": ingest.labels,
            "skipped": bad.count,
            "relations": ingest.relations,
            "relation_labels": ingest.relation_labels,
            "columns": ingest.columns,
            "left_out_by_kind": self.left_out.to_dict(),
        }

    def _find_keys(self, read: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """Number the entities and write the labels of relations; return the number, and the facts about other keys."""
        table = StringTable.open(self._work, "relation_keys")
        keys = [table[i] for i in range(len(table))]
        relations = Interner()
        relations.number_texts(keys)
        dictionary = Dictionary(self._work, read["triples"], read["facts"], relations)
        entities = dictionary.run(progress)
        of_records, of_triples, naming = read["relation_labels"], dictionary.relation_labels, self._origin.naming
        labels = (
            of_records.get(key) or of_triples.get(i) or (key if naming is None else naming(key))
            for i, key in enumerate(keys)
        )
        write_strings(self._work, "relation_labels", labels)
        return {"entities": entities, "left_out": dictionary.left_out.to_dict()}

    def _write_triples(self, read: dict[str, Any], entities: int) -> int:
        steps, work = self._steps, self._work

        def number(progress: Progress) -> None:
            rows.number_triples(work, read["triples"], read["facts"], entities, progress)

        steps.run("numbering triples", number, frees=(PAIRS, RELATION))
        sort = partial(rows.sort_triples, work, entities, read["relations"])
        triples: int = steps.run("sorting triples", sort, frees=(rows.TRIPLES,))
        steps.run("sorting incoming triples", partial(rows.sort_incoming, work, entities), frees=(rows.INCOMING,))
        if any(column["of_triples"] for column in read["columns"]):
            place = partial(place_triple_values, work, triples)
            steps.run("placing properties", place, frees=(TRIPLE_FACTS, MARKS, rows.TRIPLE_IDS))
        return triples

    def _write_texts(self, read: list[dict[str, Any]], entities: int, *, near: bool) -> dict[str, Any]:
        """Write all texts and their indexes; return the words of the longest name and the values that stand out."""
        steps, work = self._steps, self._work

        def write(progress: Progress) -> dict[str, Any]:
            odd = LeftOut()
            writer = TextWriter(work, entities, self._origin.naming, Columns(read, odd), odd, near=near)
            return {"longest": writer.run(progress), "odd": odd.to_dict()}

        written: dict[str, Any] = steps.run("writing texts", write, frees=(TEXTS, FIRST, PLACED))
        for what, buckets, files in (
            ("indexing keys", KEY_HASHES, ("key_hash.npy", "key_entity.npy")),
            ("indexing names", search.NAME_HASHES, ("name_hash.npy", "name_id.npy")),
        ):
            steps.run(what, partial(search.write_hashes, work, buckets, *files), frees=(buckets,))
        if near:
            steps.run("indexing near misses", partial(search.write_grams, work), frees=(search.GRAMS,))
        return written

    def _write_columns(self, read: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Write the columns of properties and return them for the manifest."""
        if not read:
            return []
        columns = Columns(read, LeftOut())
        write = partial(write_columns, self._work, columns.all, units={**columns.units, **self.units})
        made: list[dict[str, Any]] = self._steps.run("writing properties", write, frees=(VALUES,))
        return made

    def _literals(self, relations: int, columns: list[dict[str, Any]]) -> dict[str, list[str]]:
        """Return the kind and unit of each relation whose tails are numbers or dates, by relation id."""
        relation, tail = (open_array(self._work / f"{name}.npy") for name in ("relation", "tail"))
        out_ptr = open_array(self._work / "out_ptr.npy")
        described = [column.owners for column in open_columns(self._work, columns) if not column.of_triples]

        def is_node(entities: Any) -> Any:
            has = [np.isin(entities, owners) for owners in described]
            return np.logical_or.reduce([out_ptr[entities + 1] > out_ptr[entities], *has])

        types = find_literal_types(relation, tail, relations, value_texts(self._work), is_node)
        return {str(number): [kind.kind, kind.unit] for number, kind in sorted(types.items())}
