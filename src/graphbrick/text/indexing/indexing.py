"""Make a graph from documents, or bring it up to date with them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from os import PathLike
from pathlib import Path
from typing import Literal, TypeVar

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import GraphbrickError, InputError, PipelineError
from graphbrick.core.files import system
from graphbrick.core.files.locks import claim
from graphbrick.graphs.build.atomic import check_place
from graphbrick.graphs.build.builder import GraphBuilder, Origin
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.corpus_writer import write_corpus
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.checked import checked_records
from graphbrick.graphs.records.records import BadRecords
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.graphs.store.manifest import NAME as MANIFEST
from graphbrick.graphs.store.overlay.delta_files import writing
from graphbrick.language.counting import counted
from graphbrick.pipeline.identity import identity_of
from graphbrick.pipeline.parsing import parse_brick
from graphbrick.text.documents.chunks import ByHeading, Chunker
from graphbrick.text.documents.imported import IMPORTED
from graphbrick.text.documents.store import DATABASE, StoredPassage, TextStore
from graphbrick.text.extract.extraction import Extraction, Extractor
from graphbrick.text.extract.phrases import Phrases
from graphbrick.text.indexing.describe import Describe, describe_all
from graphbrick.text.indexing.extracting import Extracted, extract_missing
from graphbrick.text.indexing.graph_records import TextRecords, text_records
from graphbrick.text.indexing.reading import Reading, Source, read_sources
from graphbrick.text.indexing.records import build_records
from graphbrick.text.indexing.support import mentions_in, support_of
from graphbrick.text.overview.kept import forget_topics
from graphbrick.text.sources.sitemap import PAGES
from graphbrick.text.sources.tables import SourceOptions

_BUILDER = 3  # raise it when the same results give another graph
_OURS = (DATABASE, PAGES, "passages-", "index.lock", "reports.lock", ".")  # beginnings of names in the folder
_OPTIONS = {
    "chunker": ("--chunks", "cuts no documents"),
    "extractor": ("--extract", "finds no entities"),
    "describe": ("--describe", "describes nothing"),
}

B = TypeVar("B", Chunker, Extractor, Describe)


@dataclass
class Indexed:
    """The result of indexing.

    Attributes:
        graph: The graph.
        reading: What has changed in the documents.
        extraction: What was extracted now; results of other passages were kept.
        documents: Number of documents.
        empty: Addresses of the documents in which no entity was found besides their titles; none if nothing changed.
        is_new: Whether the graph was built; False if nothing had changed.
        extractor: The extractor.
        notes: What a user should know.
    """

    graph: TextGraph
    reading: Reading
    extraction: Extracted
    documents: int
    empty: list[str]
    is_new: bool
    extractor: Extractor
    notes: list[str] = field(default_factory=list)

    @property
    def extracted(self) -> int:
        """Number of passages that were extracted now."""
        return self.extraction.passages


def index(
    sources: Iterable[Source],
    path: str | PathLike[str],
    *,
    chunker: Chunker | None = None,
    extractor: Extractor | None = None,
    describe: Describe | Literal[False] | None = None,
    options: SourceOptions | None = None,
    remove: Iterable[str] = (),
    skip_bad: bool = False,
    retry: bool = False,
    progress: Progress = silent,
) -> Indexed:
    """Make a graph from documents, or bring it up to date with them.

    What was read and extracted is kept in ``<path>.text``, and only what is new or has changed is done again, also
    after a kill. Documents that are no longer in the sources leave the graph; documents of other sources, named in an
    earlier call, stay.

    Args:
        sources: Files, folders and sitemaps (addresses, files, or `Sitemap`); none to build the graph again from what
            was read.
        path: The graph folder to make or bring up to date.
        chunker: Cuts documents into passages; that of the last time by default, or `ByHeading`.
        extractor: Finds entities; that of the last time by default, or `Phrases`.
        describe: Describes what many passages describe; that of the last time by default, which False leaves out.
        options: Which columns of tables are read.
        remove: Sources, folders, files or pages to remove from the graph, by path, address or name. Of one that is also
            in ``sources``, only what is not there any more leaves: most files of a source that vanish at once are an
            error otherwise.
        skip_bad: Go on if files cannot be read, or a language model gives no result for many passages.
        retry: Ask a language model again about passages without a result, or without all of it; what they have stays
            unless the new result is better.
        progress: Called now and then.

    Raises:
        InputError: A source is missing or has lost most of its files, a file cannot be read, nothing has a name in
            ``remove``, or a language model gives no result for many passages.
        ModelError: A language model cannot be asked. What was extracted until then is kept.
        StoppedError: The budget is used up; likewise.
        GraphbrickError: ``path`` holds another graph, the graph was changed by other means, or it cannot be written.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "kenya.txt").write_text("Nairobi is the capital of Kenya. Lake Victoria borders Kenya.")
    >>> indexed = index([folder / "kenya.txt"], folder / "notes.graph")
    >>> [passage.text for passage in indexed.graph.passages([indexed.graph.entity("lake victoria")], 5)[0]]
    ['Nairobi is the capital of Kenya. Lake Victoria borders Kenya.']
    """
    graph = Path(path)
    folder = text_folder(graph)
    if not folder.is_dir():
        check_place(graph, overwrite=False)  # a graph that was not made from text is never replaced
    _check_folder(folder, graph)
    with _claimed(folder) as store:
        _check_unchanged(store, graph)
        is_chosen = chunker is not None
        chunker, extractor = chosen(store, chunker, extractor)

        reading = read_sources(
            store,
            sources,
            chunker,
            options or SourceOptions(),
            remove=list(remove),
            progress=part_of(progress, "reading"),
        )
        if reading.problems and not skip_bad:
            kept = "" if store.is_empty() else f"; the graph was not built, what was read is kept in {folder}"
            raise InputError(unread(reading.problems) + kept, code="index.unread_files", n=len(reading.problems))
        others = store.n_cut_otherwise(identity_of(chunker)) if is_chosen else 0
        if others:
            reading.notes.append(
                f"{counted(others, 'document')} of other sources stay as they were cut; name these too, to cut them by "
                f"{chunker!r}"
            )
        for name, brick in (("chunker", chunker), ("extractor", extractor), ("describe", describe)):
            if brick is not None:
                store.set(name, repr(brick) if brick else "")
        extracted = extract_missing(store, extractor, progress, skip_bad=skip_bad, retry=retry)
        done = _built(store, graph, extractor, reading, extracted, progress)
        records = build_records(store, graph)
        done.notes += [*reading.notes, *filter(None, [records])]
        return done


def _check_folder(folder: Path, graph: Path) -> None:
    """Raise GraphbrickError if the folder of the store holds files of a user."""
    if folder.is_dir() and not (folder / DATABASE).exists():
        foreign = sorted(file.name for file in folder.iterdir() if not file.name.startswith(_OURS))
        if foreign:
            raise GraphbrickError(
                f"{folder} holds {foreign[0]}, but is where the documents of {graph} would be kept; choose another "
                "name for the graph",
                code="index.foreign_files",
            )


@contextmanager
def _claimed(folder: Path) -> Iterator[TextStore]:
    """Open the store of a graph for this process alone.

    If it is new and the sources turn out to be useless, it is removed again. What was read, fetched or paid for stays.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = claim(folder / "index.lock", wait=True)
    except OSError as error:
        raise GraphbrickError(
            f"{folder} cannot be written ({error}); choose another place", code="index.not_writable"
        ) from error
    with lock:
        is_useless, is_new = False, not (folder / DATABASE).exists()
        try:
            with TextStore(folder) as store:
                try:
                    yield store
                except InputError:
                    is_useless = is_new and store.is_empty() and not (folder / PAGES).exists()
                    raise
        finally:
            if is_useless:
                shutil.rmtree(folder, ignore_errors=True)  # while it is locked


def chosen(store: TextStore, chunker: Chunker | None, extractor: Extractor | None) -> tuple[Chunker, Extractor]:
    """Return chunker and extractor: those given, else those of the last time, else the defaults."""
    last = _stored(store, "chunker", Chunker)  # type: ignore[type-abstract]
    return chunker or last or ByHeading(), extractor or stored_extractor(store)


def stored_extractor(store: TextStore) -> Extractor:
    """Return the extractor of the last time; the default the first time."""
    return _stored(store, "extractor", Extractor) or Phrases()  # type: ignore[type-abstract]


def stored_describe(store: TextStore) -> Describe | None:
    """Return the brick that describes entities and triples, as set last; None for none."""
    return _stored(store, "describe", Describe)


def _stored(store: TextStore, name: str, kind: type[B]) -> B | None:
    """Return a brick of the last time; None the first time."""
    text = store.setting(name)
    if not text:
        return None
    option, what = _OPTIONS[name]
    try:
        brick = parse_brick(text)
    except PipelineError as error:
        raise GraphbrickError(
            f"the {name} of the last time, {text!r}, cannot be used any more ({error}); name another by {option}",
            code="index.bad_stored_brick",
            option=option,
        ) from error
    if not isinstance(brick, kind):
        raise GraphbrickError(
            f"the {name} of the last time, {text!r}, {what}; name another by {option}",
            code="index.other_stored_brick",
            option=option,
        )
    return brick


def _check_unchanged(store: TextStore, graph: Path) -> None:
    """Raise GraphbrickError if the graph was imported, or changed since it was built from the store."""
    imported = store.setting(IMPORTED)
    if imported is not None:
        raise GraphbrickError(
            f"{graph} was imported from {imported}, and indexing would not keep what was extracted there; index the "
            "documents into another place",
            code="index.imported",
        )
    built = store.setting("graph")
    if built is None or not graph.exists():
        return
    now = Graph.open(graph, passages=False)
    # The setting is empty while a graph is built, so also after a kill: a new graph has no changes.
    if now.changes.files if not built else now.hash != built:
        raise GraphbrickError(
            f"{graph} is not as it was indexed: it was changed by other commands, which indexing would undo; "
            f"index into another place, or move {graph} away to make it again from its documents",
            code="index.changed_graph",
        )


def unread(problems: Sequence[tuple[str, str]]) -> str:
    """Return the error about files that cannot be read."""
    file, reason = problems[0]
    more = f", and {len(problems) - 1:,} more" if len(problems) > 1 else ""
    return f"{file}: {reason}{more}; --skip-bad (skip_bad=True) leaves such files out"


def _built(
    store: TextStore,
    path: Path,
    extractor: Extractor,
    reading: Reading,
    extracted: Extracted,
    progress: Progress,
) -> Indexed:
    """Build the graph from the store, unless it is up to date."""
    describe = stored_describe(store)
    documents = [address for address, *_ in store.documents()]
    if not documents and not reading.deleted:
        why = "" if not reading.problems else f", as no file could be read ({': '.join(reading.problems[0])})"
        why = why or (f", as no file has text ({reading.empty[0]})" if reading.empty else "")
        raise InputError(f"there is no document{why}; name files or folders to index", code="index.no_documents")
    made_by = (extractor.identity, *([] if describe is None else [identity_of(describe)]))
    state = hashlib.sha256(repr((_BUILDER, store.state(), *made_by)).encode()).hexdigest()
    done = _up_to_date(path, state)
    if done is not None:
        return Indexed(done, reading, extracted, len(documents), [], False, extractor)
    progress("building", 0, None)

    made = records_of(store, extractor)
    describe_all(made, store, describe, extracted.usage, progress)
    graph = _graph_of(store, made, path)
    write_corpus(graph, store.passage_texts, (made.begin, mentions_in(graph, made)), support_of(graph, made), state)
    store.drop_unused()
    opened = TextGraph.open(path)
    forget_topics(opened)
    return Indexed(opened, reading, extracted, len(documents), made.empty, True, extractor)


def _graph_of(store: TextStore, made: TextRecords, path: Path) -> Graph:
    """Build the graph; documents without entities or triples give one without, as their passages can be asked.

    Whoever wants to change the graph that is there waits, and then changes the new one.
    """
    bad, origin = BadRecords(), Origin("Python records", may_be_empty=True)
    is_new = not (path / MANIFEST).exists()
    with ExitStack() as stack:
        held = None
        if not is_new and not system.IS_WINDOWS:  # where graphs cannot be locked
            held = stack.enter_context(writing(path))
            _check_unchanged(store, path)  # it may have been changed while the documents were read
        builder = stack.enter_context(GraphBuilder(path, source=origin, overwrite=not is_new))
        if held is not None:
            builder.check_place = held.check_in_place
        for part in checked_records(made.records(), bad):
            builder.add(part)
        store.set("graph", "")
        graph = builder.finish(bad)
        store.set("graph", graph.hash)
        return graph


def records_of(store: TextStore, extractor: Extractor, without: Collection[bytes] = ()) -> TextRecords:
    """Return the records of the passages of a store.

    Args:
        store: The store.
        extractor: Whose results count.
        without: Keys of passages to leave out, such as those without a result.
    """
    identities = [part.identity for part in extractor.parts]

    def passages() -> Iterator[tuple[StoredPassage, Extraction]]:
        for passage in store.passages():
            if passage.digest not in without:
                results = (Extraction.from_json(store.result(passage.digest, identity)) for identity in identities)
                yield passage, reduce(or_, results)

    return text_records(passages, dict(store.merges()))


def _up_to_date(path: Path, state: str) -> TextGraph | None:
    """Return the graph if it was made from this state of the store, and is complete and undamaged; else None."""
    try:
        graph = TextGraph.open(path)
        if graph.text_state == state:
            graph.check()
    except GraphbrickError:
        return None  # indexing was interrupted; the graph is made again
    return graph if graph.text_state == state else None
