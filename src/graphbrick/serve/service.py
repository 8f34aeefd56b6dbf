"""Everything that the routes share: graphs, recipes, limits, and the session that owns models."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from graphbrick.core.errors import GraphbrickError, InputError, PipelineError
from graphbrick.core.session import Session
from graphbrick.judge.labels.labelling import Labelling, open_labelling
from graphbrick.learn.default import withholding
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.budget import Budget
from graphbrick.pipeline.composition import Sequence
from graphbrick.pipeline.parsing import parse
from graphbrick.recipes import all_recipes
from graphbrick.recipes import recipe as find_recipe
from graphbrick.serve.errors import ErrorReply, ServeError, error_reply, not_found
from graphbrick.serve.hosting import BackgroundEmbedding, HostedGraph, Opened, Watcher, find_questions, warm
from graphbrick.serve.limits.gate import Gate
from graphbrick.serve.limits.runner import Runner, told_failure
from graphbrick.serve.options import ServeOptions
from graphbrick.serve.searches import Searches
from graphbrick.serve.trust import Trust, calls_model
from graphbrick.serve.uploads import Uploads, index_uploads

_log = logging.getLogger("graphbrick.serve")


class Service:
    """The state of a running server; `start` opens its graphs.

    Args:
        options: Settings of the server.

    Raises:
        GraphbrickError: A graph or the file of labels cannot be opened, or a recipe cannot be read.
    """

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self.recipes = {name: _recipe(name, text) for name, text in options.recipes.items()}
        self.session = Session(threads=options.threads)
        self.graphs: dict[str, HostedGraph] = {}
        self.is_ready = False
        with self.session.activate():
            for name, place in options.graphs.items():
                self.graphs[name] = HostedGraph(name, place, self.recipes, options.llm)
        self.searches = Searches(options.tuned)
        self._warming = Budget()
        self._uploads: dict[str, Uploads] = {}
        self._uploads_lock = threading.Lock()  # look-ups ask for them in threads
        self._files = ExitStack()
        self.labelling: Labelling | None = None
        if options.labels:
            self.labelling = self._files.enter_context(open_labelling(Path(options.labels)))
        self._watcher = Watcher(list(self.graphs.values()), options.poll, self.session)
        self._embedding = BackgroundEmbedding(list(self.graphs.values()), options.poll, self.session)

    def start(self) -> None:
        """Make the runner, which needs the running event loop, watch the graphs, and begin to embed passages."""
        self.runner = Runner(self.options, self.session)
        self._watcher.start()
        self._embedding.start()

    def warm(self) -> None:
        """Load what the recipes need; then the server is ready."""
        with self.session.activate():
            for graph in self.graphs.values():
                warm(graph.now, self._warming)
            self.is_ready = True
            for graph in self.graphs.values():
                find_questions(graph.now, self._warming)

    def stop_warming(self) -> None:
        """Give up loading what the recipes need, as the server ends."""
        self._warming.cancel()

    def close(self) -> None:
        """End what runs, and close what is open."""
        self.is_ready = False
        self._watcher.stop()
        self._embedding.stop()
        for uploads in self._uploads.values():
            uploads.stop()
        self.runner.close()
        self._files.close()
        try:
            self.session.close()
        except GraphbrickError as error:
            _log.warning("%s", error)

    def graph(self, name: str | None = None) -> Opened:
        """Return a graph as it is now; the first if none is named.

        Raises:
            ServeError: 404, there is none of this name.
        """
        if name is None:
            return next(iter(self.graphs.values())).now
        if name not in self.graphs:
            raise not_found("graph", name, list(self.graphs))
        return self.graphs[name].now

    def uploads(self, name: str) -> Uploads:
        """Return the uploaded documents of a graph."""
        with self._uploads_lock:
            if name not in self._uploads:
                self._uploads[name] = Uploads(self.graphs[name], self.session, self._indexing_budget, index_uploads)
            return self._uploads[name]

    def _indexing_budget(self) -> Budget:
        """Return the budget of one indexing: that of a request, but of any length."""
        return Budget(tokens=self.options.tokens, usd=self.options.usd)

    def trust(self, opened: Opened) -> Trust:
        """Return the limits on recipes of clients for a graph."""
        return Trust([*opened.recipes.values(), *self.searches.pipelines()], everything=self.options.trust_recipes)

    def pipeline(
        self,
        opened: Opened,
        *,
        recipe: str | None = None,
        parts: Mapping[str, str] | None = None,
        text: str | None = None,
        min_confidence: float | None = None,
    ) -> Pipeline:
        """Return the pipeline that a request names, if the server runs it for clients.

        Args:
            opened: The graph.
            recipe: A recipe of the server or a published one; None for the default.
            parts: Parts of a published recipe, as recipe text.
            text: A recipe text, in place of a recipe.
            min_confidence: Withhold answers of lower confidence; None to leave that to the pipeline.

        Raises:
            PipelineError: The text is wrong.
            ServeError: There is no such recipe, or the server does not run it for clients.
        """
        if text is not None:
            if recipe is not None or parts:
                raise ServeError(400, "two_recipes", "give either a recipe, or a pipeline text, not both")
            pipeline = read_recipe(opened, text)
            self.trust(opened).check(pipeline)
        elif recipe is not None and recipe not in opened.recipes and recipe.upper() in all_recipes():
            pipeline = all_recipes()[recipe.upper()].pipeline(**(parts or {}))
            self.trust(opened).check(pipeline)
        elif parts:
            raise ServeError(400, "no_parts", "only published recipes, such as 12, have parts; give a pipeline text")
        else:
            pipeline = opened.recipe(recipe)
        return pipeline if min_confidence is None else _withholding(pipeline, min_confidence)

    def reply_to(self, error: BaseException, request: str) -> ErrorReply:
        """Return an error of a request as its client gets it; one that it may not see is logged.

        Args:
            error: The error.
            request: The id of the request.
        """
        reply = error_reply(told_failure(error, request))
        reply.body["error"]["message"] = self.without_places(reply.body["error"]["message"])
        reply.body["request_id"] = request
        return reply

    def without_places(self, text: str) -> str:
        """Return a text with the names of graphs and documents in place of their paths, which clients need not know."""
        for hosted in self.graphs.values():
            names = hosted.now.names
            text = hosted.place_in_text.sub(hosted.name, text if names is None else names.in_text(text))
        return text

    def gate(self, pipeline: Pipeline) -> Gate:
        """Return the limit that runs of a pipeline count for."""
        return self.runner.models if calls_model(pipeline) else self.runner.kernels


def read_recipe(opened: Opened, text: str) -> Pipeline:
    """Return the pipeline of a recipe text of a client, which names files and folders as the server shows them.

    Raises:
        PipelineError: The text is wrong.
    """
    try:
        return parse(opened.places.meant(text))
    except PipelineError:
        parse(text)  # raises the same, with the places in the text that was sent
        raise


def _recipe(name: str, text: str) -> Pipeline:
    """Return a recipe of the server; the name of a published one stands for its text."""
    try:
        return parse(text) if "(" in text else find_recipe(text.strip()).pipeline()
    except PipelineError as error:
        raise InputError(f"the recipe {name}: {error}", code="serve.bad_recipe", name=name) from error


def _withholding(pipeline: Pipeline, min_confidence: float) -> Pipeline:
    """Return the pipeline whose last stage withholds answers of low confidence."""
    changed = withholding(pipeline, min_confidence)
    if changed is None:
        last = pipeline.stages[-1] if isinstance(pipeline, Sequence) else pipeline
        raise ServeError(
            400, "no_confidence", f"min_confidence needs a pipeline that ends in PathAnswer(), got {last!r}"
        )
    return changed
