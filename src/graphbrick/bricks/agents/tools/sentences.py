"""A tool that finds nodes by what is said of them: E3's search."""

from __future__ import annotations

from graphbrick.bricks.agents.agent_tool import AdviceError, Observation, did_you_mean, tool
from graphbrick.bricks.agents.workspace import Workspace, listed
from graphbrick.core import Point
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.stated import shortened
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.info import type_counts
from graphbrick.language.folding import name_form
from graphbrick.models.indexes.entity_search import indexed
from graphbrick.models.indexes.sentence_search import SentenceSearch
from graphbrick.models.indexes.sentences import command, sentence_of, words_of
from graphbrick.models.indexes.vector_index import SENTENCE
from graphbrick.models.llm.replies.replies import one_line

_LONGEST = 400  # characters of a sentence
_TYPES = 20  # that advice names
_SEARCHED = 20  # names looked at for each match, if only one type is asked for


@tool
def search_sentences(work: Workspace, text: str, of_type: str = "", n: int = 5) -> Observation:
    """Find nodes by what is said of them: their name, type, properties and description. Gives the best as a new list.

    Args:
        text: Words or a question about the nodes.
        of_type: Only nodes of this type; empty for all.
        n: How many matches to show.
    """
    opened = _search_of(work)
    if opened is None:
        nodes = _by_name(work, text, of_type, n)
    else:
        nodes = [match.entity for match in opened.matches(text, n, of_type=of_type, accepts=work.holds)]
    if not nodes:
        raise _no_match(work, text, of_type)
    lines = [_line(work, node) for node in nodes]
    n_shown = work.fitting(lines)
    more = [f"and {len(nodes) - n_shown:,} more in the list"] * (len(nodes) > n_shown)
    items = tuple(Point(_sentence(work, node), (), (node,), work.graph, 0.0, work.source) for node in nodes[:n_shown])
    return Observation("\n".join([*lines[:n_shown], *more]), tuple(nodes), items=items)


def _search_of(work: Workspace) -> SentenceSearch | None:
    """Return the search over the sentences of a folder graph, by what is indexed; None to search by name (an event)."""
    graph = work.graph
    try:
        search = SentenceSearch(graph, words_of(graph), indexed(graph, SENTENCE)) if isinstance(graph, Graph) else None
        why = "sentences of databases are not indexed"
    except GraphbrickError as error:
        search, why = None, str(error)
    if search is None or not isinstance(graph, Graph):
        event(f"searched by name: {why}", "search_sentences.by_name", once=True)
        return None
    if search.vectors is None:
        event(
            f"sentences were searched by words only; for meaning too: {command(graph)}",
            "search_sentences.by_words",
            once=True,
            command=command(graph),
        )
    return search


def _by_name(work: Workspace, text: str, of_type: str, n: int) -> list[int]:
    form = name_form(of_type)
    nodes = work.find(text, _SEARCHED * n if form else n)
    return [node for node in nodes if not form or form in map(name_form, work.graph.types(node))][:n]


def _no_match(work: Workspace, text: str, of_type: str) -> AdviceError:
    if of_type and isinstance(work.graph, Graph):
        types = [name for name, _ in type_counts(work.graph)]
        if name_form(of_type) not in map(name_form, types):
            there = f"there are {listed(types, _TYPES)}" if types else "nodes here have no types; leave it out"
            return AdviceError(
                f"no node has the type {of_type[:80]!r}{did_you_mean(of_type, types).rstrip('?')}; {there}",
                code="search_sentences.no_type",
                type=of_type,
            )
    return AdviceError(
        f"nothing {f'of type {of_type[:80]!r} ' if of_type else ''}is described by {text[:80]!r}; try other words",
        code="search_sentences.no_match",
        text=text,
    )


def _sentence(work: Workspace, node: int) -> str:
    is_stored = isinstance(work.graph, Graph)
    return shortened(one_line(sentence_of(work.graph, node)), _LONGEST) if is_stored else work.described(node)


def _line(work: Workspace, node: int) -> str:
    """Return the sentence about a node, after its key if that is not its name."""
    key = one_line(work.graph.key(node))
    sentence = _sentence(work, node)
    return sentence if key == work.graph.label(node) or not isinstance(work.graph, Graph) else f"[{key}] {sentence}"
