"""Rows of a query that a language model writes in the language of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from graphbrick.bricks.retrieve.queries.query_directions import with_directions_of
from graphbrick.bricks.retrieve.queries.query_entities import entities_named, entity_lines
from graphbrick.bricks.retrieve.queries.query_names import checked_by_graph
from graphbrick.core import Citation, Evidence, Query, Row, Subgraph
from graphbrick.core.errors import GraphbrickError, UnavailableError
from graphbrick.core.evidence import distinct
from graphbrick.core.graph import Capability, Labels, QueryLanguage
from graphbrick.core.parameters import parameter
from graphbrick.core.schema import Rows, Schema
from graphbrick.core.trace import REFUSAL, event, fact
from graphbrick.graphs.queries.check import reads_nothing
from graphbrick.graphs.queries.examples import Pair, masked, names_in, read_pairs
from graphbrick.graphs.queries.guard import check_read_only
from graphbrick.graphs.queries.limits import with_limit
from graphbrick.graphs.queries.prefixes import with_prefixes
from graphbrick.graphs.queries.prompt import is_declined, messages_for, with_notes
from graphbrick.graphs.queries.reply import query_in
from graphbrick.graphs.queries.row_values import RowMaker
from graphbrick.graphs.queries.schema_text import sample_query, schema_prefixes, schema_text, trimmed
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, known_language
from graphbrick.language.expressions.expression import Expression
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Message, as_messages, assistant, user
from graphbrick.models.llm.replies.replies import one_line, shown
from graphbrick.models.scorers.bm25 import BM25
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import RetrieveStage
from graphbrick.pipeline.budget import StoppedError

QUERY_EVENT = "query: "
"""The beginning of the event with the query whose rows are returned."""
_SEEDS = 10  # shown to the model
_LONGEST_REPLY, _LONGEST_PROBLEM = 4_000, 2_000  # characters that the model is shown again
_ADDRESS = Expression(r"^[a-z+]+:.*?(?= refuses the query: )")  # where the graph is says nothing to the model


class _BadQueryError(GraphbrickError):
    """A reply that has no query, or one that does not fit the schema."""


@dataclass(frozen=True, repr=False)
class TextToQuery(RetrieveStage):
    """The rows of a query in Cypher or SPARQL that a language model writes.

    The model is shown the schema of the graph, the entities that the question names, and the most similar pairs of a
    file. Its query is checked against the schema: names in another spelling and relations in the wrong direction are
    corrected, other unknown names go back to it with suggestions. A guard refuses everything that does not only read
    (docs/text-to-query.md). A query that fails goes back to the model with the error, and so does the first one without
    rows. Each try is an event, and the query that was run is the source of every row.

    Args:
        llm: The language model, such as LLM().
        n: Most rows, at least 1; more are cut, which is an event.
        tries: Most queries that the model may write, at least 1.
        examples: A file of JSON lines with "question" and "query" that the model learns from; None for no examples.
        shots: Most examples shown, at least 0.
        names: Most relations, and about the most classes, of the schema that are shown; those that the scorer finds
            nearest to the question.
        check: Whether to check queries against the schema; if not, the database may just find nothing.
        declines: Whether the model may reply that the graph has nothing that is asked for, which is an event. Small
            models decline too often.
        scorer: Compares the question with the schema and the examples, such as BM25() or MiniLM().

    Returns:
        One `Row` for each distinct row, in the order of the query, with the entities that its values name.

    Raises:
        ModelError: The model's server cannot be reached, refuses, or does not answer in time.
        InputError: The file of examples cannot be read.
        UnavailableError: The database of the graph does not answer.
    """

    paper = "strategy 1, graph traversal by generated queries; LangChain and neo4j-graphrag do the first steps of it"
    needs = frozenset({Capability.LABELS, Capability.QUERY_LANGUAGE})
    starts_at_seeds = False
    links_itself = True

    llm: ChatModel = parameter(example="LLM()")
    n: int = parameter(10, at_least=1, search=(10, 50))
    tries: int = parameter(3, at_least=1, search=(1, 3))
    examples: str | None = parameter(None, path=True, example="pairs.jsonl")
    shots: int = parameter(3, at_least=0, search=(0, 3, 8))
    names: int = parameter(60, at_least=1)
    check: bool = parameter(True)
    declines: bool = parameter(False)
    scorer: Scorer = parameter(BM25(), example="BM25()")

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the rows of the first query that runs."""
        graph = cast(QueryLanguage, subgraph.graph)
        language, schema = known_language(graph.language), graph.schema()
        request = self._messages(query, subgraph, language, schema)
        messages = list(as_messages(request))
        empty: tuple[str, Rows] | None = None
        problems: dict[str, str] = {}  # by query
        for number in range(1, self.tries + 1):
            reply = self.llm.ask(messages).text.strip()
            if self.declines and is_declined(reply):
                if empty is not None:
                    break
                told = f"{self.llm.model} finds nothing in this graph that is asked for"
                event(told, "text_to_query.declined", REFUSAL)
                return Evidence()
            written = query_in(reply, language)
            if self.declines and empty is not None and written in problems:
                break  # it stands by a query that found nothing
            try:
                text = self._checked(written, graph, language, schema, is_last=number == self.tries)
                text, rows = self._rows(text, graph, language, schema)
            except (StoppedError, UnavailableError):
                raise
            except GraphbrickError as error:
                problem = _ADDRESS.sub("the database", str(error))
                event(
                    f"try {number} of {self.tries}: {shown(reply)} failed: {problem}",
                    "text_to_query.failed",
                    number=number,
                    problem=problem,
                )
            else:
                if rows.rows or empty is not None or number == self.tries:
                    return self._evidence(subgraph, text, rows)
                empty = text, rows
                problem = "it ran, but the graph has no such rows; look at names, directions and conditions again"
                event(
                    f"try {number} of {self.tries}: no rows: {one_line(text)}",
                    "text_to_query.no_rows",
                    number=number,
                    query=text,
                )
            if written in problems and number < self.tries:
                event(
                    f"{self.llm.model} repeated its query; it is asked anew, without seeing it",
                    "text_to_query.repeated",
                )
                messages = list(as_messages(with_notes(request, [*problems.values()])))
            else:
                messages += _corrected(reply, problem, may_stand=self.declines and empty is not None)
            problems[written] = problem
        if empty is not None:
            return self._evidence(subgraph, *empty)
        event(f"no query of {self.llm.model} ran; {self.tries} were tried", "text_to_query.none_ran", tries=self.tries)
        return Evidence()

    def _checked(self, text: str, graph: QueryLanguage, language: str, schema: Schema, *, is_last: bool) -> str:
        """Return a query as it will be run: with all prefixes, and corrected if it is to be checked."""
        if not text:
            raise _BadQueryError("the reply has no query", code="text_to_query.no_query")
        if language == SPARQL:
            text = with_prefixes(text, schema_prefixes(schema))
        if not self.check:
            return text
        if reads_nothing(text, language):
            found = "MATCH finds" if language == CYPHER else "its triple patterns find"
            problem = f"it returns a value of its own; return what {found} in the graph"
            raise _BadQueryError(problem, code="text_to_query.own_value")
        checked = checked_by_graph(graph, text, schema)
        for change in checked.changes:
            event(f"in the query: {change}", "text_to_query.corrected", change=change)
        problems = "; ".join(checked.problems)
        if problems and not is_last:
            raise _BadQueryError(problems, code="text_to_query.bad_query")
        if problems:
            event(f"the last query was run although {problems}", "text_to_query.run_with_problems")
        return checked.text

    def _rows(self, text: str, graph: QueryLanguage, language: str, schema: Schema) -> tuple[str, Rows]:
        """Run a query if it only reads; return it as it was run, and its rows.

        One in Cypher that finds nothing is run again with directions that the graph has, if that finds something.
        """
        rows = self._run(text, graph, language)
        if self.check and language == CYPHER and _is_nothing(rows):
            try:
                turned = with_directions_of(graph, text, schema)
                turned_rows = self._run(turned.text, graph, language) if turned.changes else rows
            except (StoppedError, UnavailableError):
                raise
            except GraphbrickError as error:
                event(
                    f"the query found nothing, and other directions were not tried: {error}",
                    "text_to_query.directions_not_tried",
                )
                return text, rows
            if not _is_nothing(turned_rows):
                for change in turned.changes:
                    event(f"in the query, which found nothing: {change}", "text_to_query.turned", change=change)
                return turned.text, turned_rows
        return text, rows

    def _run(self, text: str, graph: QueryLanguage, language: str) -> Rows:
        limited = with_limit(text, language, self.n + 1)
        check_read_only(limited, language)
        return graph.query(limited, {}, self.n)

    def _evidence(self, subgraph: Subgraph, text: str, rows: Rows) -> Evidence:
        event(f"{QUERY_EVENT}{text}", "text_to_query.query", query=text)
        if self.declines and not rows.rows:
            event("nothing in this graph fits that query", "text_to_query.nothing_fits", REFUSAL)
        fact(rows=len(rows.rows))
        if rows.is_cut:
            event(f"the query has more rows; the first {self.n:,} are given (n)", "text_to_query.more_rows", n=self.n)
        maker = RowMaker(cast(Labels, subgraph.graph))
        cited = (Citation(query=text),)
        items = []
        for row in rows.rows:
            values, entities = maker.read(row)
            items.append(Row(rows.columns, values, cited, entities, subgraph.graph, source=repr(self)))
        return Evidence(distinct(items))

    def _messages(self, query: Query, subgraph: Subgraph, language: str, schema: Schema) -> list[dict[str, str]]:
        """Return the messages for a question; the schema is cut further where it does not fit the context."""
        graph = cast(Labels, subgraph.graph)
        seeds = query.seeds or entities_named(graph, query.text, schema)
        entities = entity_lines(graph, seeds[:_SEEDS], schema, language, by_key=bool(query.seeds))
        pairs, n = self._pairs(query.text, [graph.label(seed) for seed in seeds]), self.names
        while True:
            part = trimmed(schema, n, lambda texts: self.scorer.rate(query.text, texts).tolist())
            text = schema_text(part, language, counts=False)
            if not pairs and language == CYPHER and (sample := sample_query(part)):
                text += f"\nForm of a query:\n{sample}"
            messages = messages_for(language, text, one_line(query.text), entities, pairs, declines=self.declines)
            if self.llm.context_budget(messages) >= 0 or n == 1:
                break
            n = n // 2
        n_left_out = len(schema.connections) - len(part.connections)
        if n_left_out:
            event(
                f"{self.llm.model} was shown {len(part.connections)} relations; {n_left_out:,} were left out",
                "text_to_query.relations_cut",
                n=len(part.connections),
            )
        return messages

    def _pairs(self, question: str, names: Sequence[str]) -> list[Pair]:
        """Return the examples most similar to the question apart from names, the most similar last."""
        if self.examples is None or not self.shots:
            return []
        pairs = [pair for pair in read_pairs(Path(self.examples)) if pair.question != question]
        texts = [masked(pair.question, names_in(pair)) for pair in pairs]
        ratings = self.scorer.rate(masked(question, names), texts).tolist()
        best = sorted(range(len(pairs)), key=lambda i: -ratings[i])[: self.shots]
        return [pairs[i] for i in reversed(best)]


def _corrected(reply: str, problem: str, *, may_stand: bool) -> Iterable[Message]:
    """Return the turns that give a query back to the model, of a long reply its beginning.

    Args:
        reply: The reply.
        problem: What is wrong with the query.
        may_stand: Whether the model may reply with the same query.
    """
    if len(reply) > _LONGEST_REPLY:
        text = f"the model is shown the first {_LONGEST_REPLY:,} of the {len(reply):,} characters that it wrote"
        event(text, "text_to_query.reply_cut", size=len(reply), at_most=_LONGEST_REPLY)
        reply = f"{reply[:_LONGEST_REPLY]} ... (cut)"
    problem = problem if len(problem) <= _LONGEST_PROBLEM else f"{problem[:_LONGEST_PROBLEM]} ... (cut)"
    if may_stand:
        told = f"Of that query: {problem}. Reply with a corrected query only. If nothing is wrong with it, repeat it."
        return assistant(reply), user(told)
    return assistant(reply), user(f"That query is not right: {problem}\nReply with a corrected query only.")


def _is_nothing(rows: Rows) -> bool:
    """Return whether a result has no rows, or is a count of 0."""
    return not rows.rows or (len(rows.rows) == 1 and all(value in (None, 0) for value in rows.rows[0]))
