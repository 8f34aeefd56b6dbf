"""Graphs that a server answers from, opened once and taken over when they have changed."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from graphbrick.bricks.retrieve.documents.late_vectors import hold_vectors
from graphbrick.core.errors import BrickError, GraphbrickError, InputError
from graphbrick.core.files.digests import file_stamp
from graphbrick.core.files.locks import claim
from graphbrick.core.session import Session
from graphbrick.graphs import opening
from graphbrick.graphs.cards import Card, card_of
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.databases.address import is_address
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.extracted import ExtractedGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.graphs.store.overlay.delta_files import delta_files
from graphbrick.learn.default import default_pipeline
from graphbrick.learn.examples import example_questions
from graphbrick.learn.welcome import EXAMPLES
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.indexes.embed_graph import embed_passages
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.budget import Budget, spending
from graphbrick.serve.errors import not_found
from graphbrick.serve.trust import PlaceNames, calls_model
from graphbrick.text.overview.names import DocumentNames, names_of

_log = logging.getLogger("graphbrick.serve")
_WARM_SECONDS, _QUICK_SECONDS = 120.0, 3.0
DEFAULT = "default"
"""Name of the recipe that a graph has without any being named."""


@dataclass(frozen=True)
class Opened:
    """A graph as it is now, with its recipes.

    Attributes:
        name: The name in addresses.
        graph: The graph; it never changes, so that a run ends on the graph on which it began.
        recipes: Pipelines by name; the first is that of requests that name none.
        names: Names of the documents that it was made from; None for a graph of another origin.
        places: Names of the files and folders in its recipes.
        questions: Questions that the graph can answer, as plain JSON types; empty until they are found.
    """

    name: str
    graph: Any
    recipes: Mapping[str, Pipeline]
    names: DocumentNames | None = None
    places: PlaceNames = field(default_factory=lambda: PlaceNames(()))
    questions: list[dict[str, Any]] = field(default_factory=list)

    def recipe(self, name: str | None) -> Pipeline:
        """Return a recipe by its name; None for the default.

        Raises:
            ServeError: 404, there is none of this name.
        """
        if name is None:
            return next(iter(self.recipes.values()))
        if name not in self.recipes:
            raise not_found("recipe", name, list(self.recipes))
        return self.recipes[name]

    def without_places(self, text: str) -> str:
        """Return a message with the names of documents, files and folders in place of their paths."""
        shown = str(self.places.shown(text))
        return shown if self.names is None else self.names.in_text(shown)

    @property
    def hash(self) -> str:
        """Hash of the content; empty for a database, which may change at any time."""
        return str(getattr(self.graph, "hash", ""))


def named_card(opened: Opened, entity: int) -> Card:
    """Return the card of an entity, with the names of documents in place of their paths."""
    card = card_of(opened.graph, entity)
    if opened.names is None:
        return card
    name = opened.names.name
    return replace(card, passages=tuple(one._replace(document=name(one.document)) for one in card.passages))


class HostedGraph:
    """A graph that is served, opened anew when its folder has changed.

    Args:
        name: The name in addresses.
        place: Folder or address.
        recipes: Recipes of the server, in addition to the default.
        llm: The language model of the default recipe as recipe text; empty for none.
    """

    def __init__(self, name: str, place: str, recipes: Mapping[str, Pipeline], llm: str = "") -> None:
        self.name, self.place = name, place
        places = sorted({place, str(Path(place).absolute())}, key=len, reverse=True)
        # Whole paths only: a graph may be served as «.» or «a», which occur in any text.
        self.place_in_text = re.compile(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, places))})(?![\w-])")
        self._own, self._llm = recipes, llm
        self._lock = threading.Lock()
        self._stamp = self._stamp_now()
        self.failure = ""  # why the newest state of the folder cannot be served
        self.now = self._open()

    def _open(self) -> Opened:
        graph = opening.open(self.place)
        if isinstance(graph, ExtractedGraph):
            raise InputError(
                f"{self.place} holds extracted subgraphs, each for the seeds of some questions, but a server answers "
                "any question; serve the graph that they are from, or use graphbrick ask",
                code="hosting.extracted",
            )
        names = names_of(graph) if isinstance(graph, TextGraph) else None
        recipes = {DEFAULT: default_pipeline(graph, self._llm), **self._own}
        return Opened(self.name, graph, recipes, names, PlaceNames(recipes.values()))

    def refresh(self) -> bool:
        """Open the graph anew if it has changed; requests are answered from the old one until then.

        Returns:
            Whether another graph is served now. One that cannot be opened is left alone, as it may be half written.
        """
        with self._lock:
            stamp = self._stamp_now()
            if stamp == self._stamp:
                self.failure = ""  # what could not be served was taken back
                return False
            try:
                opened = self._open()
                warm(opened)
            except GraphbrickError as error:
                self._note(str(error), error)
                return False
            except Exception as error:  # noqa: BLE001 - the state before is still good, and the log has the reason
                self._note("the server failed to open it; its log has the reason", error)
                return False
            if stamp != self._stamp_now():
                return False  # it changed again; the next look takes that over
            self._stamp, self.now, self.failure = stamp, opened, ""
            _log.info("graph %s was taken over: %s", self.name, opened.hash)
        find_questions(opened)
        return True

    def _note(self, failure: str, error: Exception) -> None:
        """Store why the newest state cannot be served, and log it once; an unexpected error with its traceback."""
        if self.failure != failure:
            reason = None if isinstance(error, GraphbrickError) else error
            _log.warning("graph %s changed but cannot be served yet: %s", self.name, error, exc_info=reason)
        self.failure = failure

    def _stamp_now(self) -> object:
        """Return a value that changes with the folder, its changes and the patterns learned of it."""
        if is_address(self.place):
            return None
        folder = Path(self.place)
        learned, text = (Path(f"{folder.absolute()}{end}") for end in (".patterns/model.json", ".text"))
        changes = tuple((file.name, file_stamp(file)) for file in delta_files(folder)) if folder.is_dir() else ()
        # Not the folder of the text itself: the database in it makes and removes files whenever somebody reads it.
        passages = tuple((made.name, file_stamp(made)) for made in sorted(text.glob("passages-*")))
        return file_stamp(folder / "manifest.json"), changes, file_stamp(learned), text.is_dir(), passages


def warm(opened: Opened, budget: Budget | None = None) -> None:
    """Load what the recipes of a graph need, with one question; a fault of it is logged, not raised.

    Recipes that ask a language model are left out: the question would cost something.

    Args:
        opened: The graph.
        budget: Ends it early when it is cancelled; None for two minutes.
    """
    graph = opened.graph
    if not isinstance(graph, Graph) or not graph.n_entities:
        return
    question = f"What is {graph.label(0) or graph.key(0)}?"
    for name, pipeline in opened.recipes.items():
        if not calls_model(pipeline):
            _try(f"recipe {name}", opened.name, partial(pipeline.run, graph, question), budget)


def find_questions(opened: Opened, budget: Budget | None = None) -> None:
    """Find questions that a graph can answer; a fault is logged, not raised.

    Args:
        opened: The graph, which gets them.
        budget: Ends it early when it is cancelled; None for two minutes.
    """

    def find() -> None:
        opened.questions[:] = [one.to_dict() for one in example_questions(opened.graph)]

    _try("example questions", opened.name, find, budget)


def questions_of(opened: Opened) -> list[str]:
    """Return a few questions that a graph can answer; found now, in a short time, if they were not yet."""
    if opened.questions:
        return [one["question"] for one in opened.questions]
    return [one.question for one in example_questions(opened.graph, n=EXAMPLES, seconds=_QUICK_SECONDS)]


def _try(what: str, name: str, work: Callable[[], object], budget: Budget | None) -> None:
    """Do some work on a graph; a fault of it is logged, not raised."""
    try:
        with spending(budget or Budget(seconds=_WARM_SECONDS)):
            work()
    except BrickError:  # a fault of its code
        _log.exception("%s failed on graph %s", what, name)
    except GraphbrickError as error:
        _log.info("%s could not be tried on graph %s: %s", what, name, error)
    except Exception:  # noqa: BLE001 - other recipes may work, and a request tells its client
        _log.exception("%s failed on graph %s", what, name)


class Watcher:
    """A thread that looks now and then whether graphs have changed.

    Args:
        graphs: The graphs.
        seconds: Time between two looks.
        session: Owns what is loaded when a graph is tried, so that the requests after it find that.
    """

    def __init__(self, graphs: list[HostedGraph], seconds: float, session: Session) -> None:
        self._graphs, self._seconds, self._session = graphs, seconds, session
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="graphbrick-watcher", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait for the look that is being taken."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _watch(self) -> None:
        while not self._stop.wait(self._seconds):
            for graph in self._graphs:
                try:
                    with self._session.activate():
                        graph.refresh()
                except Exception:  # noqa: BLE001 - without this thread no graph would ever be taken over again
                    _log.exception("whether graph %s has changed cannot be told", graph.name)


class BackgroundEmbedding:
    """A thread that makes the vectors of passages which the default recipe of a graph compares.

    Questions are answered meanwhile. Of several processes over one graph, one at a time does so.

    Args:
        graphs: The graphs.
        seconds: Time between two looks whether a graph lacks vectors.
        session: Owns the model and the vectors.
    """

    def __init__(self, graphs: list[HostedGraph], seconds: float, session: Session) -> None:
        self._graphs, self._seconds, self._session = graphs, seconds, session
        self._done: dict[str, Any] = {}  # the graphs that have all vectors, by name
        self._stop, self._budget = threading.Event(), Budget()
        self._thread = threading.Thread(target=self._watch, name="graphbrick-embedding", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current batch; what was embedded is kept."""
        self._stop.set()
        self._budget.cancel()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _watch(self) -> None:
        while not self._stop.wait(self._seconds):
            for hosted in self._graphs:
                opened = hosted.now
                if self._done.get(opened.name) is not opened.graph:
                    with self._session.activate():
                        _try("embedding passages", opened.name, partial(self._embed, opened), self._budget)

    def _embed(self, opened: Opened) -> None:
        self._done[opened.name] = opened.graph  # also after a fault, which would come again
        graph, embedder = opened.graph, MiniLM()
        if not isinstance(graph, TextGraph) or not embedder.is_installed:
            return
        try:
            lock = claim(text_folder(graph.place) / "embedding.lock")
        except BlockingIOError:
            del self._done[opened.name]  # another process embeds; look again
            return
        with lock:
            embed_passages(graph, embedder)
            hold_vectors(graph, embedder)
