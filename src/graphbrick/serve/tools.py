"""MCP tools over the graphs of a server, for assistants: short texts with keys, and what was cut."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field, ValidationError

from graphbrick.bricks.agents.toolbox import all_tools
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.core import Subgraph, __version__
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.properties.stated import kinds_text
from graphbrick.graphs.queries.schema_text import schema_text
from graphbrick.language.counting import counted
from graphbrick.pipeline.budget import StoppedError
from graphbrick.serve.asking import Inquiry, reply_of, run_of
from graphbrick.serve.conversation.answer_text import CANNOT, answer_text, offered
from graphbrick.serve.errors import fault_in_words
from graphbrick.serve.hosting import Opened, named_card
from graphbrick.serve.limits.gate import Gate
from graphbrick.serve.limits.runner import told_failure
from graphbrick.serve.models import MOST_SEEDS, QuestionText
from graphbrick.serve.routes.common import document_text
from graphbrick.serve.service import Service
from graphbrick.text.overview.documents import documents_of
from graphbrick.text.overview.names import DocumentNames

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_LONGEST_TEXT = 20_000  # characters that a tool returns
_LONGEST_HEAD = 500  # of them, for name and title of a document
_FAULTS = 5  # of the arguments of a call, that are named
_MOST_PROPERTIES = 100  # that the schema names
_ABOUT = (
    "Tools over knowledge graphs. Names of entities are written as label [key]; give the key where labels are not "
    "unique. Begin with `search` or `schema`, or let `answer` do all of it; `document` opens what an answer cites. "
    "Every result says when it was cut."
)

GraphArgument = Annotated[str, Field(max_length=130, description="Name of the graph; empty for the first.")]
Count = Annotated[int, Field(ge=1, le=100, description="Most results.")]
Bound = Annotated[str, Field(max_length=2_000, description="A value; dates like 2020-05-31; or empty.")]
EntityName = Annotated[str, Field(min_length=1, max_length=2_000, description="Name or key of the entity.")]


def mcp_server(service: Service) -> MCPServer[Any]:
    """Return the MCP server over the graphs of a service; start the service before the first call."""
    with _logging_left_alone():
        server = _Server("graphbrick", instructions=_ABOUT, version=__version__)
    tools = _Tools(service)
    first = (tools.schema, tools.search, tools.where, tools.node, tools.neighbours)
    for tool in (*first, tools.paths, tools.query, tools.answer, tools.documents, tools.document):
        server.tool(annotations=_READS, structured_output=False)(tool)
    server.prompt(title="Questions that a graph can answer")(tools.example_questions)
    return server


@contextmanager
def _logging_left_alone() -> Iterator[None]:
    """Restore the root logger after the block: an MCP server gives it a handler of its own."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


class _Server(MCPServer[Any]):
    """An MCP server whose errors are one line in the words of this package, without texts that were sent."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool by name."""
        tools = {tool.name: tool for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"there is no tool {name[:80]!r}; there are {', '.join(tools)}")
        takes = list(tools[name].input_schema["properties"])
        for unknown in arguments:
            if unknown not in takes:
                near = get_close_matches(unknown, takes, n=1)
                advice = f"did you mean {near[0]}; " if near else ""
                raise ToolError(f"{name} has no argument {unknown[:80]!r}; {advice}it takes {', '.join(takes)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            fault = error.__cause__
            if isinstance(fault, ValidationError):
                told = (f"{'.'.join(map(str, one['loc']))} {fault_in_words(one)}" for one in _first(fault))
                raise ToolError(f"the arguments of {name} are wrong: {'; '.join(told)}") from error
            if isinstance(fault, ToolError):
                raise ToolError(str(fault)) from error
            raise


def _first(fault: ValidationError) -> list[Any]:
    return list(fault.errors()[:_FAULTS])


class _Tools:
    """The tools; their docstrings are what assistants read."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def schema(self, graph: GraphArgument = "") -> str:
        """Tell which graphs there are, what the graph is made of, and what queries may name."""
        opened = self._opened(graph)

        def work() -> str:
            others = [name for name in self._service.graphs if name != opened.name]
            about = f"graph {opened.name}" + (f" (others: {', '.join(others)})" if others else "")
            properties = _properties_of(opened.graph) + _questions_of(opened)
            if Capability.QUERY_LANGUAGE not in capabilities_of(opened.graph):
                return f"{about}: it has no schema; use search{properties}"
            return f"{about}{properties}\n{schema_text(opened.graph.schema(), opened.graph.language)}"

        return await self._look_up(work)

    async def search(
        self,
        text: Annotated[str, Field(min_length=1, max_length=500, description="A name, or words of it.")],
        n: Count = 10,
        graph: GraphArgument = "",
    ) -> str:
        """Find entities by name."""
        return await self._view(graph, lambda view: _told_by("search", view, text, n))

    async def where(
        self,
        name: Annotated[str, Field(min_length=1, max_length=500, description="Name of the property.")],
        equals: Bound = "",
        above: Bound = "",
        at_least: Bound = "",
        below: Bound = "",
        at_most: Bound = "",
        of_type: Annotated[str, Field(max_length=500, description="Only entities of this type; or empty.")] = "",
        n: Count = 20,
        graph: GraphArgument = "",
    ) -> str:
        """Find entities by the value of a property, such as a number or a date."""
        if Capability.PROPERTIES not in capabilities_of(self._opened(graph).graph):
            raise ToolError("this graph has no properties; use search, neighbours and paths")
        bounds = (equals, above, at_least, below, at_most)
        return await self._view(graph, lambda view: _told_by("where", view, name, *bounds, of_type, n))

    async def node(self, entity: EntityName, graph: GraphArgument = "") -> str:
        """Tell the card of one entity: types, description, properties, relations with counts, passages."""
        opened = self._opened(graph)
        return await self._view(graph, lambda view: named_card(opened, view.entity(entity)).lines(keys=True))

    async def neighbours(
        self,
        entity: EntityName,
        relation: Annotated[str, Field(max_length=500, description="Name of a relation; empty for all.")] = "",
        direction: Annotated[
            Literal["auto", "out", "in", "both"], Field(description="out for ->, in for <-, or auto.")
        ] = "auto",
        n: Count = 20,
        graph: GraphArgument = "",
    ) -> str:
        """Tell which relations an entity has, with counts and examples; or follow one relation from it."""

        def work(view: Workspace) -> str:
            if not relation:
                return _told_by("neighbours", view, entity)
            return _told_by("neighbours_by_relation", view, entity, relation, direction, n)

        return await self._view(graph, work)

    async def paths(
        self,
        start: EntityName,
        end: EntityName,
        max_hops: Annotated[int, Field(ge=1, le=4, description="Most triples in a path.")] = 3,
        graph: GraphArgument = "",
    ) -> str:
        """Find the shortest paths between two entities."""
        return await self._view(graph, lambda view: _told_by("paths", view, start, end, max_hops))

    async def query(
        self,
        text: Annotated[str, Field(min_length=1, max_length=100_000, description="A query that only reads.")],
        n: Count = 20,
        graph: GraphArgument = "",
    ) -> str:
        """Run a query in the graph's own language, Cypher or SPARQL; `schema` tells what it may name."""
        if Capability.QUERY_LANGUAGE not in capabilities_of(self._opened(graph).graph):
            raise ToolError("this graph has no query language; use search, neighbours and paths")
        gate = self._service.runner.queries  # a query may take long, and must not keep look-ups waiting
        return await self._view(graph, lambda view: _told_by("query", view, text, n), gate)

    async def answer(
        self,
        question: QuestionText,
        seeds: Annotated[
            list[str], Field(max_length=MOST_SEEDS, description="Keys or labels to start from, if they are known.")
        ] = [],  # noqa: B006 - it is never changed
        recipe: Annotated[str, Field(max_length=130, description="A recipe; empty for the default.")] = "",
        graph: GraphArgument = "",
    ) -> str:
        """Answer a question from the graph, with the evidence for every answer and the confidence.

        If the question is not understood, the text names questions that may be meant; ask one of them as it is written.
        """
        service, opened = self._service, self._opened(graph)

        def work() -> str:
            try:
                facts = reply_of(inquiry, run_of(inquiry))
            except LinkError as error:
                readings = [asdict(reading) for reading in error.readings]
                if not readings:
                    raise
                return f"{CANNOT}: {service.without_places(str(error))}.{offered(readings, is_answered=False)}"
            confidence = "" if facts["confidence"] is None else f"\nconfidence {facts['confidence']:.2f}"
            return f"{answer_text(facts)}{confidence}"

        with self._told():
            pipeline = service.pipeline(opened, recipe=recipe or None)
            first_of = 1 if graph else len(service.graphs)
            inquiry = Inquiry(opened, pipeline, question, tuple(seeds), service.runner.budget(), first_of=first_of)
            return _cut(await service.runner.call(work, service.gate(pipeline), inquiry.budget))

    async def documents(
        self,
        words: Annotated[str, Field(max_length=500, description="Words of the names or titles; empty for all.")] = "",
        n: Count = 50,
        offset: Annotated[int, Field(ge=0, le=10_000_000, description="How many to leave out first.")] = 0,
        graph: GraphArgument = "",
    ) -> str:
        """List the documents that the graph was made from, with titles and numbers of passages."""
        opened, names = self._with_documents(graph)

        def work() -> str:
            documents = documents_of(opened.graph)
            lines = [
                f"{names.name(address)}: {documents.titles[address] or 'no title'} ({counted(len(ids), 'passage')})"
                for address, ids in documents.passages.items()
            ]
            fitting = [line for line in lines if all(word in line.casefold() for word in words.casefold().split())]
            if not fitting:
                return f"none of the {counted(len(lines), 'document')} has these words; search less, or ask with answer"
            rest = len(fitting) - offset - n
            more = [f"({rest:,} more; go on with offset {offset + n})"] if rest > 0 else []
            return "\n".join([*fitting[offset : offset + n], *more]) or f"there are only {len(fitting):,}"

        return await self._look_up(work)

    async def document(
        self,
        document: Annotated[str, Field(min_length=1, max_length=4_000, description="Its name, as listed or cited.")],
        start: Annotated[int, Field(ge=0, description="First character, such as of a citation.")] = 0,
        end: Annotated[int | None, Field(ge=0, description="Character after the last; none for the rest.")] = None,
        graph: GraphArgument = "",
    ) -> str:
        """Open a document, or the cited part of one: its text."""
        opened, _ = self._with_documents(graph)

        def work() -> str:
            name, title, text = document_text(opened.graph, document)
            last = min(len(text) if end is None else end, len(text), start + _LONGEST_TEXT - _LONGEST_HEAD)
            head = f"{name}: {title}"[:_LONGEST_HEAD]
            told = f"characters {start:,} to {last:,} of {len(text):,}"
            return f"{head}\n({told})\n\n{text[start:last]}"

        return await self._look_up(work)

    def _with_documents(self, graph: str) -> tuple[Opened, DocumentNames]:
        opened = self._opened(graph)
        if opened.names is None:
            raise ToolError(f"the graph {opened.name} was not made from documents; use search, node and answer")
        return opened, opened.names

    async def example_questions(self, graph: GraphArgument = "") -> str:
        """Ask what a graph can answer, with example questions of different kinds."""
        opened = self._opened(graph)
        questions = [f"- {one['question']}" for one in opened.questions] or ["(none are known)"]
        asks = f"Answer these from the graph {opened.name} with the tool `answer`, and say what else I may ask:"
        return "\n".join([asks, *questions])

    def _opened(self, graph: str) -> Opened:
        with self._told():
            return self._service.graph(graph or None)

    async def _view(self, graph: str, work: Callable[[Workspace], str], gate: Gate | None = None) -> str:
        opened = self._opened(graph)
        view = Workspace("", Subgraph(opened.graph), longest=_LONGEST_TEXT)
        return await self._look_up(lambda: work(view), gate)

    async def _look_up(self, work: Callable[[], str], gate: Gate | None = None) -> str:
        runner = self._service.runner
        with self._told():
            return _cut(await runner.call(work, gate or runner.lookups, runner.budget()))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell the assistant what was wrong with a call; other errors stay on the server."""
        try:
            yield
        except GraphbrickError as error:
            raise ToolError(self._service.without_places(str(told_failure(error, "of a tool")))) from error


def _properties_of(graph: Any) -> str:
    """Return a line about the properties of a graph; empty without any, or if a database does not tell them in time."""
    if Capability.PROPERTIES not in capabilities_of(graph):
        return ""
    try:
        columns = graph.property_columns()
    except StoppedError:
        raise
    except GraphbrickError:
        return ""
    return f"\nproperties for where: {kinds_text(columns, _MOST_PROPERTIES)}" if columns else ""


def _questions_of(opened: Opened) -> str:
    """Return lines with questions that a graph can answer; empty if none are known."""
    lines = [f"- {one['question']}" for one in opened.questions]
    return "\n".join(["\nquestions that answer can answer, such as:", *lines]) if lines else ""


def _told_by(tool: str, view: Workspace, *arguments: object) -> str:
    """Return the text that a tool of agents returns."""
    return all_tools()[tool].function(view, *arguments).text


def _cut(text: str) -> str:
    """Return a text, cut where it is too long for an assistant."""
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[:_LONGEST_TEXT]}\n(cut after {_LONGEST_TEXT:,} of {len(text):,} characters; ask for less)"
