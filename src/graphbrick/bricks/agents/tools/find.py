"""Tools that look up nodes: by name, one node closely, and its degree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from graphbrick.bricks.agents.agent_tool import AdviceError, Observation, tool
from graphbrick.bricks.agents.tools.properties import all_properties
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.core import Citation, Row
from graphbrick.models.llm.replies.replies import one_line

_MOST_COUNTED = 10_000
_LONGEST = 400  # characters of a description


@tool
def search(work: Workspace, text: str, n: int = 5) -> Observation:
    """Find nodes by name. Gives the best matches with their types as a new list.

    Args:
        text: A name, or words of it.
        n: How many matches to show.
    """
    matches = work.find(text, n)
    if not matches:
        raise AdviceError(
            f"nothing is called {text[:80]!r} or similar; try another spelling or a shorter name",
            code="search.no_match",
            name=text,
        )
    lines = [work.described(node) for node in matches]
    n_shown = work.fitting(lines)
    more = [f"and {len(matches) - n_shown:,} more in the list"] * (len(matches) > n_shown)
    items = tuple(work.node_row(node) for node in matches[:n_shown])
    return Observation("\n".join([*lines[:n_shown], *more]), tuple(matches), items=items)


@tool
def retrieve_node(work: Workspace, text: str) -> Observation:
    """Find the one node whose name is nearest to a text.

    Args:
        text: A name, or words of it.
    """
    matches = work.find(text, 1)
    if not matches:
        raise AdviceError(
            f"nothing is called {text[:80]!r} or similar; try another spelling or a shorter name",
            code="retrieve_node.no_match",
            name=text,
        )
    return Observation(f"The nearest node is {work.described(matches[0])}", items=(work.node_row(matches[0]),))


@tool
def check_node(work: Workspace, entity: str) -> Observation:
    """Tell what is known of one node itself: types, other names, description, properties, number of triples.

    Args:
        entity: Name or key of the node.
    """
    node = work.entity(entity)
    facts = {
        "types": ", ".join(work.graph.types(node)),
        "also called": ", ".join(work.graph.aliases(node)[:10]),
        "description": work.graph.description(node)[:_LONGEST],
        "triples": _count(*work.around([node])[0]),
    }
    lines = [work.name(node), *(f"{name}: {one_line(value)}" for name, value in facts.items() if value)]
    properties = all_properties(work, node, lines)
    return Observation("\n".join([*lines, *properties.lines]), items=(work.node_row(node), *properties.items))


@tool
def degree(work: Workspace, entity: str, relation: str = "") -> Observation:
    """Count the triples of a node, in all or by one relation.

    Args:
        entity: Name or key of the node.
        relation: Name of the relation; empty for all.
    """
    node = work.entity(entity)
    walked, is_cut = work.around([node], limit=_MOST_COUNTED)[0]
    if relation:
        selected = work.relation(relation, dict.fromkeys(step.relation for step in walked))
        walked, is_cut = work.around([node], relations=selected, limit=_MOST_COUNTED)[0]
    counts = Counter((work.graph.relation_label(step.relation), step.forward) for step in walked)
    lines = [f"{work.name(node)} has {_count(walked, is_cut)} triples"]
    rows = []
    for (label, forward), count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        name = f"{'->' if forward else '<-'} {label}"
        lines.append(f"{name}: {count:,}")
        rows.append((name, str(count)))
    call = Citation(query=f"degree({work.graph.key(node)}{f', {relation}' if relation else ''})")
    items = [
        Row(("node", "relation", "degree"), (work.name(node), name, count), (call,), (node,), work.graph)
        for name, count in rows[:30]
    ]
    total = Row(("node", "degree"), (work.name(node), _count(walked, is_cut)), (call,), (node,), work.graph)
    return Observation("\n".join(lines[:31]), items=(total, *items))


def _count(walked: Sequence[object], is_cut: bool) -> str:
    return f"more than {len(walked):,}" if is_cut else f"{len(walked)}"
