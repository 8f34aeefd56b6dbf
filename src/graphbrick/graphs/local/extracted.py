"""Subgraphs that were extracted from a larger graph, one for each set of seeds; each becomes a folder graph."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Self

from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import GraphbrickError, GraphFormatError, LinkError
from graphbrick.core.files.locks import claim
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.extracted_files import ExtractedFiles
from graphbrick.graphs.records.rdf_names import local_name
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord
from graphbrick.language.folding import name_form

_OPEN = 64  # subgraphs held open in a session
_SHOWN = 3
_FIX = "extract a set with these seeds too: graphbrick spark extract"


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

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self:
        """Open a folder of extracted subgraphs; the same as calling the class."""
        return cls(path)

    @property
    def settings(self) -> dict[str, object]:
        """The contents of ``settings.json``: settings of the extraction, source, counts."""
        return self._files.settings

    @property
    def hash(self) -> str:
        """A hash of the content, 16 hexadecimal digits; another extraction has another."""
        return self._files.hash

    @property
    def sets(self) -> dict[str, tuple[str, ...]]:
        """The keys of the seeds of each set, by the name of the set."""
        return dict(self._files.seeds)

    def __repr__(self) -> str:
        return f"ExtractedGraph({self.path.name!r}, sets={len(self._files.seeds):,})"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _reopen, (self.place, self.hash)

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
            return local, [self._key_of(str(name), chosen) for name in names]
        known, missing = [], []
        for seed in self._files.seeds[chosen]:
            try:
                local.entity(seed)
            except LinkError:
                missing.append(seed)
            else:
                known.append(seed)
        if missing:
            text = f"the subgraph of {chosen!r} lacks its seeds {_listed(missing)}, which the source does not have"
            event(text, "extracted.missing_seeds", set=chosen, seeds=missing)
        return local, known

    def set_of(self, question: str, seeds: Iterable[str | int], set_name: str = "") -> str:
        """Return the name of the set that a question is asked on; see `for_question` for arguments and errors."""
        names = list(seeds)
        for name in names:
            if not isinstance(name, str):
                text = f"seeds of {self!r} are keys or names, got {name!r}: each subgraph has ids of its own"
                raise LinkError(text, code="extracted.seed_type")
        texts = [str(name) for name in names]
        own = self._files.seeds.get(set_name)
        # Another file of questions may use the same ids; then the seeds differ.
        if own is not None and all(self._key_of(text, set_name) in own for text in texts):
            return set_name
        return self._with_seeds(texts) if texts else self._named_in(question)

    def subgraph(self, set_name: str) -> Graph:
        """Return the subgraph of a set as a folder graph; it is built if it was not used before.

        Raises:
            LinkError: There is no such set, or it has no triples.
            GraphbrickError: The graph cannot be written beside the folder.
        """
        if set_name not in self._files.seeds:
            text = f"{self.path} has no set {set_name!r}; it has {self._shown(self._files.seeds)}"
            raise LinkError(text, code="extracted.no_set", set=set_name)
        key = ("extracted subgraph", set_name)
        return current_session().get(key, lambda: self._opened(set_name), of=self, at_most=_OPEN)

    def check(self) -> None:
        """Read every row, and check that the tables fit each other.

        Raises:
            GraphFormatError: They do not, or a row cannot be read.
        """
        self._files.check()

    # Choosing the set

    def _with_seeds(self, names: list[str]) -> str:
        """Return the set that has exactly these seeds."""
        keys = set[str]()
        for name in names:
            # A name that is not a key may be the label of several seeds.
            keys.update([name] if name in self._sets_of_seed else self._seeds_by_form.get(name_form(name), ()))
        seeds = self._files.seeds
        near = self._sets_of(keys)
        exact = [
            chosen
            for chosen in near
            if keys.issuperset(seeds[chosen])
            and set(seeds[chosen]).issuperset(self._key_of(name, chosen) for name in names)
        ]
        if exact:
            return self._only(exact, f"the seeds {_listed(names)} are those")
        near.sort(key=lambda chosen: len(set(seeds[chosen]) ^ keys))
        has = f"nearest is {self._shown(near[:1])}" if near else f"it has {self._shown(seeds)}"
        raise LinkError(
            f"{self.path} has no subgraph of the seeds {_listed(names)} together; {has}; {_FIX}",
            code="extracted.no_subgraph",
            seeds=names,
            nearest=near[:1],
        )

    def _named_in(self, question: str) -> str:
        """Return the set whose seeds a question names."""
        named, seeds = self._mentioned(question), self._files.seeds
        candidates = [name for name in self._sets_of(named) if named.issuperset(seeds[name])]
        if not candidates:
            raise LinkError(
                f"nothing in {question[:80]!r} names the seeds of a subgraph of {self.path}, which has "
                f"{self._shown(seeds)}; give the seeds, or if they are new, {_FIX}",
                code="extracted.no_seeds_named",
                question=question[:80],
            )
        most = max(len(seeds[name]) for name in candidates)
        largest = [name for name in candidates if len(seeds[name]) == most]
        return self._only(largest, f"{question[:80]!r} names the seeds")

    def _only(self, names: list[str], who: str) -> str:
        """Return the first of the sets, which must all have the same seeds."""
        distinct = {self._files.seeds[name]: name for name in reversed(names)}
        if len(distinct) > 1:
            several = self._shown(sorted(distinct.values()))
            text = f"{who} of {len(distinct)} subgraphs of {self.path}: {several}; give the seeds as keys"
            raise LinkError(text, code="extracted.several_subgraphs", sets=sorted(distinct.values()))
        return next(iter(distinct.values()))

    def _key_of(self, name: str, chosen: str) -> str:
        """Return the key of a set's seed with this key or name; another name is returned as it is."""
        seeds = self._files.seeds[chosen]
        if name in seeds:
            return name
        return next((seed for seed in seeds if name_form(name) in self._forms(seed)), name)

    def _mentioned(self, question: str) -> set[str]:
        """Return the seeds whose names occur in a question as whole words, longest first, without overlap."""
        words = name_form(question).split()
        longest = min(max((form.count(" ") + 1 for form in self._seeds_by_form), default=0), len(words))
        mentioned = set[str]()
        for size in range(longest, 0, -1):
            for start in range(len(words) - size + 1):
                seeds = self._seeds_by_form.get(" ".join(words[start : start + size]))
                if seeds:
                    mentioned.update(seeds)
                    words[start : start + size] = ["|"] * size
        return mentioned

    def _sets_of(self, seeds: Iterable[str]) -> list[str]:
        """Return the sets that have one of these seeds, ascending by name."""
        return sorted({name for seed in seeds for name in self._sets_of_seed.get(seed, ())})

    @cached_property
    def _sets_of_seed(self) -> dict[str, list[str]]:
        sets: dict[str, list[str]] = {}
        for name, seeds in self._files.seeds.items():
            for seed in seeds:
                sets.setdefault(seed, []).append(name)
        return sets

    @cached_property
    def _seeds_by_form(self) -> dict[str, list[str]]:
        """The seeds of all sets by their folded keys and labels."""
        by_form: dict[str, list[str]] = {}
        for seed in self._sets_of_seed:
            for form in self._forms(seed):
                by_form.setdefault(form, []).append(seed)
        return by_form

    @cached_property
    def _seed_labels(self) -> dict[str, str]:
        return self._files.labels(self._sets_of_seed)

    def _forms(self, seed: str) -> set[str]:
        return {name_form(seed), name_form(_label(seed, self._seed_labels))} - {""}

    def _shown(self, names: Iterable[str]) -> str:
        sets = list(names)
        shown = "; ".join(f"{name!r} ({_listed(self._files.seeds[name])})" for name in sets[:_SHOWN])
        return f"{shown}{f'; and {len(sets) - _SHOWN:,} more' if len(sets) > _SHOWN else ''}"

    # Building the subgraph

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
        graph.vectors_place = self.place.with_name(f"{self.place.name}.vectors")
        graph.origin = f"{self.path}#{set_name}"
        return graph

    def _build(self, set_name: str, place: Path) -> Graph:
        from graphbrick.graphs.build.builder import build  # loads numba, which an opened subgraph may do without

        rows = self._files.rows(set_name)
        if not rows.triples:
            seeds = _listed(self._files.seeds[set_name])
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
            lock.unlink(missing_ok=True)
        return graph

    def _records(self, entities: list[str], triples: list[tuple[str, str, str]]) -> Iterator[Record]:
        relations = list(dict.fromkeys(relation for _, relation, _ in triples))
        labels = self._files.labels([*entities, *relations])
        for entity in entities:
            yield EntityRecord(entity, _label(entity, labels))
        for relation in relations:
            yield RelationRecord(relation, _label(relation, labels))
        yield from triples


def _label(key: str, labels: dict[str, str]) -> str:
    """Return the label of a key: that of the table of labels, else the last part of an IRI, else the key."""
    return labels.get(key) or (local_name(key) if "://" in key else key)


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


def _listed(names: Iterable[str]) -> str:
    listed = [str(name)[:80] for name in names]
    more = f" and {len(listed) - _SHOWN:,} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


def _reopen(place: Path, content: str) -> ExtractedGraph:
    """Open pickled subgraphs and check their hash."""
    graph = ExtractedGraph(place)
    if graph.hash != content:
        text = f"{place} holds another extraction than when it was pickled; open it again"
        raise GraphFormatError(text, code="extracted.other_content")
    return graph
