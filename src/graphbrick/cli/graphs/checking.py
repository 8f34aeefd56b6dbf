"""Checks of a graph folder with all folders beside it: `graphbrick info --check`."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from graphbrick.core.errors import GraphbrickError, GraphFormatError
from graphbrick.graphs.communities import communities_place
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import facts_of
from graphbrick.graphs.store.beside_text import has_text, text_folder
from graphbrick.graphs.store.seal import Seal
from graphbrick.language.counting import counted
from graphbrick.learn.learned import learned_place
from graphbrick.models.vectors.model_vectors import check_identity
from graphbrick.models.vectors.segments import Segment
from graphbrick.patterns.model.folder import WEIGHTS, load
from graphbrick.text.documents.altered import altered
from graphbrick.text.documents.sealing import can_tell, is_broken
from graphbrick.text.documents.store import DATABASE
from graphbrick.text.reporting.replies import REPLIES

_MENDED_BY = {
    "text": "run graphbrick index {graph}",
    "partitions": "run graphbrick prepare partitions {graph}",
    "communities": "run graphbrick prepare communities {graph}, then graphbrick prepare reports {graph}",
    "hubs": "run graphbrick prepare hubs {graph}",
    "index": "remove it; it is made again when it is needed",
    "ladybug": "remove it; the next query makes it again",
}
_SHOWN = 3  # documents
_VERSIONED = re.compile(r".+-[0-9a-f]{16}")


def check_all(graph: Graph) -> list[str]:
    """Read every file of a graph and of the folders beside it, and return notes about what cannot be checked.

    Raises:
        GraphFormatError: Files are damaged or missing; the message names them all, and the commands that mend them.
    """
    problems = []
    try:
        graph.check()
    except GraphbrickError as error:
        problems.append(str(error))
    problems += [problem for problem in _problems_beside(graph) if problem not in problems]
    if problems:
        raise GraphFormatError("; ".join(problems), code="graph.has_damage", problems=problems)
    notes = []
    if Seal.read(graph.path) is None:
        notes.append("the manifest has no checksum (seal.json): an earlier version wrote it, or that file was removed")
    database = text_folder(graph.place) / DATABASE
    if database.exists() and not can_tell(database):
        notes.append(
            f"{database.name} has no checksum: an earlier version wrote it, its writer was killed, or a process has it "
            "open; only its structure and the texts were checked"
        )
    return notes


def _problems_beside(graph: Graph) -> Iterator[str]:
    for what, advice in _MENDED_BY.items():
        parent = graph.place.with_name(f"{graph.place.name}.{what}")
        for folder in sorted(parent.glob("*")) if parent.is_dir() else ():
            if _VERSIONED.fullmatch(folder.name) and folder.is_dir():
                try:
                    facts_of(folder, largest=sys.maxsize)
                except (ValueError, OSError) as error:
                    yield f"{folder} is damaged ({error}); {advice.format(graph=graph.place)}"
    yield from _problem_of_documents(graph)
    yield from _problem_of_replies(graph)
    yield from _problem_of_patterns(graph)
    segments = sorted(graph.vectors_place.glob("*/*.seg"))
    for place in (*sorted({file.parent for file in segments}), *segments):
        try:
            check_identity(place) if place.is_dir() else Segment(place).check()
        except (ValueError, OSError) as error:
            yield f"{place} is damaged ({error}); remove it: its vectors are made again when they are needed"


def _problem_of_documents(graph: Graph) -> Iterator[str]:
    file = text_folder(graph.place) / DATABASE
    if not has_text(graph.place):
        return
    try:
        fault = _fault_of_database(file) if file.is_file() else "it is missing"
    except sqlite3.OperationalError as error:
        yield f"{file} cannot be checked ({error}); check again when nothing uses it"
        return
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the latter where a message holds what is damaged
        fault = str(error)
    if fault:
        both = f"{text_folder(graph.place)} and {graph.place}"
        yield f"{file} is damaged ({fault}); remove {both}, and run graphbrick index again with the same sources"


def _problem_of_replies(graph: Graph) -> Iterator[str]:
    file = communities_place(graph).parent / REPLIES
    if file.is_file() and is_broken(file):
        yield f"{file} is damaged (its checksum differs); remove it: the next reports ask the model again"


def _fault_of_database(file: Path) -> str:
    """Return what is wrong with a database of documents; empty for nothing."""
    differs = is_broken(file)
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as opened:
        opened.text_factory = partial(str, encoding="utf-8", errors="replace")
        (first,) = opened.execute("PRAGMA integrity_check(1)").fetchone()
        if first != "ok":
            return str(first)
        wrong = altered(opened)
    if wrong:
        return f"{counted(len(wrong), 'document')} not as stored: {', '.join(wrong[:_SHOWN])}"
    return "its checksum differs" if differs else ""


def _problem_of_patterns(graph: Graph) -> Iterator[str]:
    place: Path = learned_place(graph)
    if not (place / WEIGHTS).exists() and not any(place.glob("*.json")):
        return
    try:
        load(str(place))
    except GraphbrickError as error:
        yield f"{error} (graphbrick learn {graph.place})"
