"""Subgraphs that were extracted from a larger graph, one for each set of seeds; each becomes a folder graph."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Self

from graphbrick.core.deferred import repr_html
from graphbrick.core.errors import GraphbrickError, GraphFormatError, LinkError
from graphbrick.core.files.locks import claim
from graphbrick.core.files.system import remove_lock
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.extracted_files import ExtractedFiles
from graphbrick.graphs.local.seed_sets import SeedSets, label_of, listed
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord
from graphbrick.graphs.store.stored import reopen

_OPEN = 64  # subgraphs held open in a session


class ExtractedGraph:
    """Subgraphs of a larger graph, one for each set of seeds; the seeds of a question choose the subgraph.

    ``graphbrick spark extract`` writes such folders. Pass it to a pipeline instead of a graph: every brick then runs on
    the subgraph of the question as on any folder graph. A subgraph is built at its first use, in ``DIR.graphs`` beside
    the folder, and opened from there afterwards, also by other processes. Embeddings of texts are kept in
    ``DIR.vectors``.

    Args:
        folder: The folder.

    Raises:
        GraphFormatError: It is not a folder of extracted subgraphs, or is incomplete, or of another format version.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.path = Path(folder)
        self.place = self.path.absolute()  # stays valid if the working folder changes
        self._files = ExtractedFiles(self.place)
        self._sets = SeedSets(self._files, self.path)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self:
        """Open a folder of extracted subgraphs; the same as calling the class."""
        return cls(path)

    @property
    def settings(self) -> dict[str, object]:
        """The contents of ``settings.json``: settings of the extraction, source, counts."""
        return self._files.settings

    @property
    def left_out(self) -> dict[str, dict[str, Any]]:
        """The counts and examples of what the source says and the subgraphs do not have; see `LeftOut.to_dict`."""
        return dict(self._files.settings.get("left_out", {}))

    @property
    def hash(self) -> str:
        """A hash of the content, 16 hexadecimal digits; another extraction has another."""
        return self._files.hash

    @property
    def sets(self) -> dict[str, tuple[str, ...]]:
        """The keys of the seeds of each set, by the name of the set."""
        return dict(self._files.seeds)

    _repr_html_ = repr_html

    def __repr__(self) -> str:
        return f"ExtractedGraph({self.path.name!r}, sets={len(self._files.seeds):,})"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return reopen, (type(self), self.place, self.hash)

    def for_question(self, question: str, seeds: Iterable[str | int], question_id: str = "") -> tuple[Graph, list[str]]:
        """Return the subgraph for a question, and its seeds as keys or names.

        Args:
            question: The question.
            seeds: Keys or names; if empty, the seeds of the set are used.
            question_id: The name of the set. If there is no such set, or it lacks one of ``seeds``, the set with
                exactly these seeds is used; without seeds, the largest set of which the question names all seeds.

        Raises:
            LinkError: No subgraph was extracted for these seeds, or the question names the seeds of none or of several.
        """
        names = list(seeds)
        chosen = self.set_of(question, names, question_id)
        local = self.subgraph(chosen)
        if names:
            return local, [self._sets.key_of(str(name), chosen) for name in names]
        known, missing = [], []
        for seed in self._files.seeds[chosen]:
            try:
                local.entity(seed)
            except LinkError:
                missing.append(seed)
            else:
                known.append(seed)
        if missing:
            text = f"the subgraph of {chosen!r} lacks its seeds {listed(missing)}, which the source does not have"
            event(text, "extracted.missing_seeds", set=chosen, seeds=missing)
        return local, known

    def set_of(self, question: str, seeds: Iterable[str | int], set_name: str = "") -> str:
        """Return the name of the set for a question; see `for_question` for arguments and errors."""
        names = list(seeds)
        for name in names:
            if not isinstance(name, str):
                text = f"seeds of {self!r} are keys or names, got {name!r}: each subgraph has ids of its own"
                raise LinkError(text, code="extracted.seed_type")
        texts = [str(name) for name in names]
        own = self._files.seeds.get(set_name)
        # Another file of questions may use the same ids; then the seeds differ.
        if own is not None and all(self._sets.key_of(text, set_name) in own for text in texts):
            return set_name
        return self._sets.with_seeds(texts) if texts else self._sets.named_in(question)

    def subgraph(self, set_name: str) -> Graph:
        """Return the subgraph of a set as a folder graph; it is built if it was not used before.

        Raises:
            LinkError: There is no such set, or it has no triples.
            GraphbrickError: The graph cannot be written beside the folder.
        """
        if set_name not in self._files.seeds:
            text = f"{self.path} has no set {set_name!r}; it has {self._sets.shown(self._files.seeds)}"
            raise LinkError(text, code="extracted.no_set", set=set_name)
        key = ("extracted subgraph", set_name)
        return current_session().get(key, lambda: self._opened(set_name), of=self, at_most=_OPEN)

    def check(self) -> None:
        """Read every row, and check that the tables fit each other.

        Raises:
            GraphFormatError: They do not, or a row cannot be read.
        """
        self._files.check()

    def _opened(self, set_name: str) -> Graph:
        folder = self.place.with_name(f"{self.place.name}.graphs") / self.hash
        place = folder / f"{sha256(set_name.encode()).hexdigest()[:16]}.graph"
        try:
            if not folder.is_dir():
                _begin(folder)
            graph = _graph_at(place) or self._build(set_name, place)
        except OSError as error:
            raise GraphbrickError(
                f"the subgraphs of {self.path} cannot be kept in {folder} ({error.strerror or error}); copy "
                f"{self.path} to a folder that you may write to",
                code="extracted.not_writable",
                folder=folder,
            ) from error
        self._tell_left_out()
        graph.vectors_place = self.place.with_name(f"{self.place.name}.vectors")
        graph.origin = f"{self.path}#{set_name}"
        return graph

    def _tell_left_out(self) -> None:
        if self.left_out:
            shown = ", ".join(f"{row['count']:,} {what}" for what, row in self.left_out.items())
            text = f"the subgraphs of {self.path} do not have {shown}, which their source has"
            event(text, "extracted.left_out", once=True, left_out=self.left_out)

    def _build(self, set_name: str, place: Path) -> Graph:
        from graphbrick.graphs.build.builder import build  # loads numba, which an opened subgraph may do without

        rows = self._files.rows(set_name)
        if not rows.triples:
            seeds = listed(self._files.seeds[set_name])
            raise LinkError(
                f"the set {set_name!r} of {self.path} has no triples: its seeds ({seeds}) are not in the source, or "
                "have none there; extract it with other seeds",
                code="extracted.no_triples",
                set=set_name,
            )
        lock = place.with_suffix(".lock")
        with claim(lock, wait=True):
            graph = _graph_at(place)  # another process may have built it meanwhile
            if graph is None:
                shutil.rmtree(place, ignore_errors=True)  # damaged
                graph = build(self._records(rows.entities, rows.triples), place)
            remove_lock(lock)
        return graph

    def _records(self, entities: list[str], triples: list[tuple[str, str, str]]) -> Iterator[Record]:
        relations = list(dict.fromkeys(relation for _, relation, _ in triples))
        labels = self._files.labels([*entities, *relations])
        for entity in entities:
            yield EntityRecord(entity, label_of(entity, labels))
        for relation in relations:
            yield RelationRecord(relation, label_of(relation, labels))
        yield from triples


def _begin(folder: Path) -> None:
    """Make the folder of the subgraphs; those of an earlier extraction in the same place are removed."""
    earlier = list(folder.parent.iterdir()) if folder.parent.is_dir() else []
    folder.mkdir(parents=True, exist_ok=True)
    for other in earlier:
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)  # processes that have a graph of it open keep that


def _graph_at(place: Path) -> Graph | None:
    """Open a graph; None if there is none, or a damaged one."""
    if not place.is_dir():
        return None
    try:
        return Graph.open(place)
    except GraphFormatError as error:
        event(f"the subgraph in {place} is damaged ({error}) and is built again", "extracted.rebuilt", place=place)
        return None
