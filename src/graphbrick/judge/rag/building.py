"""Making the graphs of systems, with what it costs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path

from graphbrick.core.compute import Progress
from graphbrick.core.errors import GraphbrickError, InputError, LinkError
from graphbrick.core.files.replacing import replacing
from graphbrick.core.trace import event
from graphbrick.graphs.communities import find_communities, keep_communities
from graphbrick.graphs.corpus import TextGraph
from graphbrick.judge.rag.measuring import Cost, bytes_in, measured
from graphbrick.judge.rag.systems import RagSystem
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.composition import Sequence as Stages
from graphbrick.pipeline.composition import stages_of
from graphbrick.study.tune.space.trees import asks_model
from graphbrick.text.indexing.indexing import index
from graphbrick.text.reporting.prepare import prepare_reports
from graphbrick.text.sources.tables import SourceOptions

_BUILT = "built.json"
_GRAPH = "notes.graph"


@dataclass(frozen=True)
class Documents:
    """The documents that systems are built from, as for `graphbrick.text.index`.

    Attributes:
        sources: Files and folders.
        options: Which columns of tables are read.
        skip_bad: Go on if documents cannot be read, or many have no entity.
    """

    sources: Sequence[str | PathLike[str]]
    options: SourceOptions = field(default_factory=SourceOptions)
    skip_bad: bool = False


@dataclass
class Built:
    """The graph of a system.

    Attributes:
        settings: What it was made from, as texts.
        cost: What it took: reading, extraction, building, and what the system works out before the first question.
        bytes: Size of the graph and of all that lies beside it.
        documents: Number of documents.
        passages: Number of passages.
        entities: Number of entities.
        triples: Number of triples.
        is_whole: Whether it was made at one go; else ``cost`` lacks what was done before an interruption.
    """

    settings: dict[str, str]
    cost: Cost
    bytes: int
    documents: int
    passages: int
    entities: int
    triples: int
    is_whole: bool = True
    folder: Path = field(default=Path(), compare=False)

    @property
    def graph(self) -> TextGraph:
        """The graph, opened."""
        return TextGraph.open(self.folder / _GRAPH)


def build_system(system: RagSystem, documents: Documents, folder: Path, progress: Progress) -> Built:
    """Return the graph of a system, made if it is not there yet.

    Systems with the same extractor and chunker share the work: it is done once, measured once, and the graph is copied.

    Args:
        system: The system.
        documents: The documents.
        folder: The folder of the evaluation.
        progress: Called now and then.

    Raises:
        InputError: A graph of this name was made in another way, or from other documents, or its folder is something
            else.
        GraphbrickError: As for `graphbrick.text.index`.
    """
    settings = _settings(system, documents)
    place = folder / system.folder
    built = _read(place)
    if built is not None:
        if built.settings != settings:
            name = next(name for name in settings if built.settings.get(name) != settings[name])
            raise InputError(
                f"{place} was made with {name} {built.settings.get(name)}, now it is {settings[name]}; give the system "
                "another name, or begin in another folder",
                code="rag_graph.other_settings",
                setting=name,
                before=built.settings.get(name),
                now=settings[name],
            )
        return built
    if place.exists():
        raise InputError(
            f"{place} is there and is not the graph of a system; give the system another name, or begin in another "
            "folder",
            code="rag_graph.foreign_folder",
            folder=place,
        )
    indexed = _indexed(system, documents, folder, settings, progress)
    work = place.with_name(f".{place.name}.{indexed.folder.name}")
    indexed.is_whole = indexed.is_whole and not work.exists()  # else an interrupted call goes on, with what it paid for
    if not work.exists():
        _copy(indexed.folder, work)
    progress("preparing", 0, 0)
    with measured(f"{system.name}: prepare") as cost:
        graph = TextGraph.open(work / _GRAPH)
        _prepare(system, graph)
    indexed.settings, indexed.cost, indexed.bytes = settings, indexed.cost + cost, bytes_in(work)
    _write(work, indexed)
    indexed.folder = work.rename(place)
    return indexed


def _copy(indexed: Path, work: Path) -> None:
    """Copy the graph that systems begin with; ``work`` is there when it is complete."""
    part = work.with_name(f"{work.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # what is left of an interrupted call
    shutil.copytree(indexed, part)
    (part / _BUILT).unlink()
    part.rename(work)


def _settings(system: RagSystem, documents: Documents) -> dict[str, str]:
    return {
        "extractor": repr(system.extractor),
        "chunker": repr(system.chunker),
        "pipeline": repr(system.pipeline),
        "communities": repr(system.communities),
        "reports": repr(system.reporter if system.reporter else system.reports),
        "documents": ", ".join(str(Path(source).absolute()) for source in documents.sources),
        "columns": repr(documents.options),
    }


def _indexed(
    system: RagSystem, documents: Documents, folder: Path, settings: dict[str, str], progress: Progress
) -> Built:
    """Return the graph that all systems with this extractor and chunker begin with."""
    shared = {name: settings[name] for name in ("extractor", "chunker", "documents", "columns")}
    place = folder / f"index-{sha256(json.dumps(shared).encode()).hexdigest()[:12]}"
    built = _read(place)
    if built is not None:
        return built
    is_whole = not place.exists()
    place.mkdir(parents=True, exist_ok=True)
    with measured(f"{system.name}: index") as cost:
        done = index(
            documents.sources, place / _GRAPH, chunker=system.chunker, extractor=system.extractor,
            options=documents.options, skip_bad=documents.skip_bad, progress=progress,
        )  # fmt: skip
    cost.events += done.notes
    graph = done.graph
    size = bytes_in(place)
    return _write(
        place,
        Built(shared, cost, size, done.documents, graph.n_passages, graph.n_entities, graph.n_triples, is_whole),
    )


def _prepare(system: RagSystem, graph: TextGraph) -> None:
    """Find communities, write reports, and run the first question up to its first model call."""
    if system.communities:
        keep_communities(graph, find_communities(graph), {})
    if system.reports:
        prepare_reports(graph, system.reporter)
    stages = _before_models(system.pipeline)
    if stages is not None:
        title = graph.passage(0).title or graph.passage(0).text[:80]
        try:
            stages.run(graph, title)
        except LinkError:
            event(
                "nothing was worked out before the first question: its title names no entity", "rag_graph.not_prepared"
            )


def _before_models(pipeline: Pipeline) -> Pipeline | None:
    """Return the stages before the first that asks a language model; None if there are none."""
    stages = stages_of(pipeline)
    first = next((i for i, stage in enumerate(stages) if asks_model(stage)), len(stages))
    return None if not first else stages[0] if first == 1 else Stages(tuple(stages[:first]))


def _read(place: Path) -> Built | None:
    """Return what was built in a folder; None if it was not finished."""
    file = place / _BUILT
    if not file.is_file():
        return None
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        return Built(**{**values, "cost": Cost(**values["cost"]), "folder": place})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise GraphbrickError(
            f"{file} is damaged ({error}); remove the folder {place} to build it again",
            code="rag_graph.damaged",
            file=file,
            folder=place,
        ) from error


def _write(place: Path, built: Built) -> Built:
    built.folder = place
    values = asdict(built)
    del values["folder"]
    with replacing(place / _BUILT) as out:
        out.write(json.dumps(values, indent=1))
    return built
