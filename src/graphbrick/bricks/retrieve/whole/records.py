"""The retrieve brick for questions about the columns of records whose texts are documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from graphbrick.bricks.retrieve.operators.paths.results import EXPLAINED
from graphbrick.bricks.retrieve.operators.stage import MISSPELT, Operators
from graphbrick.core import Citation, Evidence, Passage, Query, Row, Subgraph
from graphbrick.core.answer import NearReading
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.graph import Capability
from graphbrick.core.items import ANSWER, Item, Property
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.core.trace import Trace, event, tell_again
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside_text import records_place
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import search_words
from graphbrick.language.stems import stem
from graphbrick.pipeline import RetrieveStage
from graphbrick.pipeline.beginning import begin
from graphbrick.pipeline.budget import StoppedError
from graphbrick.pipeline.interpreter import execute
from graphbrick.text.overview.documents import documents_of

_ABOUT = Expression(
    r"\s+(?:(?:that|which) )?(?:are |is |were |was )?(?:about|mention(?:s|ing|ed)?|regarding|concerning|related to|"
    r"deal(?:s|ing)? with|speak(?:s|ing)? of|talk(?:s|ing)? about|contain(?:s|ing)? the words?|with the words?)"
    r"\s+(?:the |an? )?",
    re.IGNORECASE,
)
_HOW_MANY = Expression(r"^(?:how many|(?:the )?number of|count(?: of)?)(?: the)? ", re.IGNORECASE)
_LIST = Expression(
    r"^(?:(?:list|show|give|find|name)(?: me)?(?: all)?(?: of)?(?: the)?|(?:are|is|were) there (?:any|a|an)) ",
    re.IGNORECASE,
)
_ASKS = Expression(r"^(?:which|what) ", re.IGNORECASE)
_GENERIC = Expression(r"\b(?:rows?|records?|entries|entry|lines|items)\b", re.IGNORECASE)
_END = Expression(r"[\s?.!]+$")
_DANGLING = Expression(r"\s+(?:are|is|were|was|have|has|do|does)(?: there)?$", re.IGNORECASE)
_MOST_WORDS = 5  # of what records are about
_SHOWN = 20  # passages that support a number


class _About(NamedTuple):
    """A question about records whose text has certain words.

    Attributes:
        question: The question without them.
        words: The words.
        is_count: Whether their number is asked for.
    """

    question: str
    words: str
    is_count: bool


@dataclass(frozen=True, repr=False)
class Records(RetrieveStage):
    """Answers about the columns of tables of records, such as tickets, whose texts are documents.

    ``graphbrick index`` keeps the rows of tables as entities with their columns as properties, in a graph of their own
    beside that of the texts. `Operators` counts, filters and compares them: «How many tickets are open?», «What is the
    priority of T-104?». «Which tickets are about refunds?» and «How many open tickets mention invoices?» also look at
    the words of the texts.

    Only answers of which the columns explain every word are given. Any other question goes to the search, and so does
    every question where no document is a row with other columns.

    Args:
        operators: Answers from the columns, such as Operators(Patterns(MiniLM())).
        search: The stage that answers other questions, such as PassageRank(MiniLM()).

    Returns:
        The rows and properties that `Operators` gives, with the places of the records; else what the search returns.
    """

    needs = frozenset({Capability.LABELS, Capability.CORPUS})
    starts_at_seeds = False
    links_itself = True

    operators: Operators = parameter(example="Operators(Patterns(BM25()))")
    search: RetrieveStage = parameter(example="Passages()")

    def near(self, query: Query, subgraph: Subgraph, most: int) -> Sequence[NearReading]:
        """Return the near readings of the search."""
        return self.search.near(query, subgraph, most)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the answer from the columns, or the evidence of the search."""
        graph = cast(TextGraph, subgraph.graph)
        records = records_of(graph)
        evidence = None if records is None else self._from_columns(graph, records, query.text)
        return self.search.retrieve(query, subgraph) if evidence is None else evidence

    def _from_columns(self, graph: TextGraph, records: Graph, question: str) -> Evidence | None:
        """Return the answer from the columns, and the words of the texts; None if they do not explain the question."""
        question = _named(records, question)
        none: tuple[_About, str] | None = None  # a number of records of which none has the words
        for about in _readings(question):
            planned = self._planned(records, about.question)
            rows = [] if planned is None else _named_rows(planned[0])
            chosen = _with_words(graph, records, rows, about.words)
            if chosen:
                return self._about(graph, records, about, chosen[0].values[1], chosen)
            if rows and about.is_count:
                none = none or (about, rows[0].values[1])
        if none is not None:
            return self._about(graph, records, *none, [])
        planned = self._planned(records, question)
        if planned is None:
            return None
        evidence, trace = planned
        tell_again(trace)
        return replace(evidence, items=_placed(graph, records, evidence.items))

    def _planned(self, records: Graph, question: str) -> tuple[Evidence, Trace] | None:
        """Return the evidence of the operators, and the trace, if they answer and assume nothing; else None."""
        try:
            run = execute(self.operators, begin(self.operators, records, question))
        except StoppedError:
            raise
        except GraphbrickError:  # such as a question that names nothing
            return None
        evidence = run.evidence
        if evidence is None or not evidence.has_answers or (evidence.confidence or 0) < min(EXPLAINED, MISSPELT):
            return None
        if any(item.kind == "card" and not _has_key(question, records, item) for item in evidence.items):
            return None  # what a text is about is in the text
        return replace(evidence, subgraph=None), run.trace

    def _about(self, graph: TextGraph, records: Graph, about: _About, plan: str, chosen: Sequence[Row]) -> Evidence:
        """Return the records whose texts have the words, or their number, with their passages."""
        plan = f"{plan} with «{about.words}» in the text"
        plan = f"count of: {plan}" if about.is_count else plan
        event(f"plan: {plan}", "records.about", plan=plan, words=about.words)
        source, places = repr(self), [_place(graph, records, row.entities[0]) for row in chosen]
        items = {
            place: Passage(_text(graph, records, row.entities[0]), (place,), (), graph, 0.0, source)
            for row, place in zip(chosen, places, strict=True)
        }
        if about.is_count:
            items = dict(list(items.items())[:_SHOWN])
            row = Row(ANSWER, (str(len(chosen)), plan), tuple(items), (), graph, 0.0, source, len(chosen))
            return Evidence((row, *items.values()), confidence=EXPLAINED)
        rows = [
            replace(row, values=(row.values[0], plan), citations=(place,), source=source)
            for row, place in zip(chosen, places, strict=True)
        ]
        return Evidence((*rows, *items.values()), confidence=EXPLAINED)


def records_of(graph: TextGraph) -> Graph | None:
    """Return the graph of the records beside a graph made from documents; None if there is none."""
    place = records_place(graph.place)
    if not place.is_dir():
        return None
    return current_session().get(("records",), lambda: Graph.open(place), of=graph)


def _named(records: Graph, question: str) -> str:
    """Return a question with the name of the table, if there is one only, in place of «rows» or «records»."""
    classes = {records.first_type(entity) for entity in range(min(records.n_entities, 1_000))}
    return _GENERIC.sub(next(iter(classes)), question) if len(classes) == 1 else question


def _readings(question: str) -> Iterator[_About]:
    """Yield how a question may be one about records with certain words, the longest words first."""
    match = _ABOUT.search(question)
    if match is None:
        return
    before, after = question[: match.start()], _END.sub("", question[match.end() :]).split()
    is_count = _HOW_MANY.match(before) is not None
    plain = _LIST.sub("", _HOW_MANY.sub("", before)) if is_count or _LIST.match(before) else _ASKS.sub("", before)
    plain = _DANGLING.sub("", plain[:1].lower() + plain[1:])
    for size in range(min(len(after), _MOST_WORDS), 0, -1):
        words, rest = " ".join(after[:size]).strip("\"'«»“”"), " ".join(after[size:])
        if rest or plain:
            yield _About(f"Which {plain} {rest or 'are there'}?", words, is_count)


def _named_rows(evidence: Evidence) -> list[Row]:
    """Return the rows of evidence that are records."""
    return [item for item in evidence.items if isinstance(item, Row) and item.columns == ANSWER and item.entities]


def _with_words(graph: TextGraph, records: Graph, rows: Sequence[Row], words: str) -> list[Row]:
    """Return the rows of records whose texts have all of some words, in whatever form."""
    stems = {stem(word) for word in search_words(words)}
    texts = (search_words(f"{row.values[0]} {_text(graph, records, row.entities[0])}") for row in rows)
    stemmed = ({stem(word) for word in text} for text in texts)
    return [row for row, own in zip(rows, stemmed, strict=True) if stems and stems <= own]


def _has_key(question: str, records: Graph, card: Item) -> bool:
    """Return whether a question names the record of a card by its key, such as T-104."""
    aliases = (alias for entity in card.entities for alias in records.aliases(entity))
    return any(alias.casefold() in question.casefold() for alias in aliases)


def _text(graph: TextGraph, records: Graph, entity: int) -> str:
    """Return the text of a record."""
    passages = documents_of(graph).passages.get(records.key(entity), [])
    return "\n".join(graph.passage(i).text for i in passages)


def _place(graph: TextGraph, records: Graph, entity: int) -> Citation:
    """Return the place of a record: that of its first passage, or the row of its table if another has the same text."""
    address = records.key(entity)
    passages = documents_of(graph).passages.get(address)
    if not passages:
        return Citation(address)
    _, document, start, end, _, section = graph.passage(passages[0])
    return Citation(document, start, end, section=section)


def _placed(graph: TextGraph, records: Graph, items: Sequence[Item]) -> tuple[Item, ...]:
    """Return items with the places of the records whose properties they are."""
    return tuple(
        replace(item, citations=(_place(graph, records, item.owner),))
        if isinstance(item, Property) and not item.of_triple
        else item
        for item in items
    )
