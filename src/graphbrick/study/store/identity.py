"""Identity of a run: everything that changes its results, with checksums of its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from graphbrick.bricks.extract.communities import ReportedCommunities
from graphbrick.bricks.retrieve.documents.community_reports import CommunityReports
from graphbrick.bricks.retrieve.documents.drift import Drift
from graphbrick.bricks.retrieve.documents.local_search import LocalSearch
from graphbrick.bricks.retrieve.documents.relevance_search import RelevanceSearch
from graphbrick.bricks.retrieve.documents.reports import Reports
from graphbrick.core.files.digests import digest
from graphbrick.graphs.communities import communities_place
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.extracted import ExtractedGraph
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.identity import code_files, without_code
from graphbrick.text.reporting.reports import reports_place

if TYPE_CHECKING:
    from graphbrick.study.store.records import StudyRun

_READ_COMMUNITIES = (Drift, LocalSearch, RelevanceSearch, ReportedCommunities, Reports)


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a pipeline: all that its results depend on.

    Attributes:
        text: `Pipeline.identity`: the recipe text without parameters that do not affect results, such as ``timeout``,
            with a checksum instead of each file, and one of the source of plug-ins; two pipelines with the same text
            are the same.
        files: The checksum of each file or folder that the pipeline names, or reads beside the graph, and of each
            source file of its plug-ins, by its path.
        beside: Checksum of what it reads beside the graph; empty if it reads nothing that can change (`on_graph`).
    """

    text: str
    files: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)
    beside: str = ""

    @property
    def stored(self) -> str:
        """Text and checksum as a study stores them."""
        return f"{self.text}\n{self.beside}" if self.beside else self.text

    @classmethod
    def of_stored(cls, stored: str, files: Mapping[str, str]) -> Identity:
        """Return the identity that `stored` was made from."""
        text, _, beside = stored.partition("\n")  # recipe text is one line
        return cls(text, files, beside)

    @property
    def without_files(self) -> str:
        """The same text for pipelines that differ only in the contents of files, or in the source of plug-ins."""
        return re.sub(r"\bsha256:[0-9a-f]{64}", "sha256", without_code(self.text))


def identity_of(pipeline: Pipeline) -> Identity:
    """Return the identity of a pipeline.

    Raises:
        InputError: A file that it names cannot be read.
    """
    paths = {path for brick in bricks_of(pipeline) for path in brick.files().values()}
    return Identity(pipeline.identity(), {str(path): digest(path) for path in sorted(paths)} | code_files(pipeline))


def on_graph(identity: Identity, pipeline: Pipeline, graph: Graph | ExtractedGraph) -> Identity:
    """Return the identity of a pipeline on a graph, with the communities and reports it reads.

    Both can be made anew, by another model or with other parameters, while graph and passages stay the same.
    """
    if not isinstance(graph, Graph) or not any(map(_reads_communities, bricks_of(pipeline))):
        return identity
    folders = [folder for place in (communities_place, reports_place) if (folder := place(graph).folder).is_dir()]
    files = {str(folder): digest(folder) for folder in folders}
    return replace(
        identity, files={**identity.files, **files}, beside=sha256(" ".join(files.values()).encode()).hexdigest()
    )


def _reads_communities(brick: Brick) -> bool:
    """Return whether a brick reads the communities or reports beside a graph."""
    is_kept = isinstance(brick, CommunityReports) and brick.llm is None
    return is_kept or isinstance(brick, _READ_COMMUNITIES)


def content_of(graph: Graph | ExtractedGraph) -> str:
    """Return the hash of a graph, or of its triples and passages if it has passages."""
    if not isinstance(graph, TextGraph):
        return graph.hash
    return sha256(f"{graph.hash} {graph.text_state}".encode()).hexdigest()[: len(graph.hash)]


def bricks_of(value: object) -> Iterator[Brick]:
    """Yield all bricks of a pipeline, those inside other bricks included."""
    if isinstance(value, Brick):
        yield value
    if isinstance(value, tuple):
        for item in value:
            yield from bricks_of(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for entry in fields(value):
            yield from bricks_of(getattr(value, entry.name))


def changed_files(runs: Iterable[StudyRun]) -> dict[int, tuple[str, tuple[str, ...]]]:
    """Find runs of one pipeline before and after a file changed.

    Returns:
        For the number of each run whose pipeline ran before with other contents of files: the name of the last such
        run, and the paths of the files that differ.
    """
    last: dict[tuple[str, str, bool], StudyRun] = {}
    changed = {}
    for run in runs:
        if run.identity is None:
            continue
        key = run.identity.without_files, run.graph_hash, run.linked
        before = last.get(key)
        if before is not None and before.identity is not None:
            old, new = before.identity.files, run.identity.files
            changed[run.id] = (
                before.name,
                tuple(path for path in sorted({*old, *new}) if old.get(path) != new.get(path)),
            )
        last[key] = run
    return changed
