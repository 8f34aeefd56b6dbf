"""Tools that follow relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from graphbrick.bricks.agents.agent_tool import AdviceError, Observation, Walked, tool
from graphbrick.bricks.agents.tools.properties import Told, first_properties
from graphbrick.bricks.agents.view import LIMIT
from graphbrick.bricks.agents.workspace import Workspace, listed

_RELATIONS_SHOWN = 30
_NODES_A_RELATION = 5
_MORE = 50  # relations that are only named


@tool
def neighbours(work: Workspace, entity: str, relation: str = "", n: int = 20) -> Observation:
    """Tell which relations a node has, with counts and examples; or all its neighbours by one relation.

    Args:
        entity: Name or key of the node, or a list such as L1.
        relation: Name of a relation, to see all neighbours by it; empty to see all relations.
        n: How many neighbours to show.
    """
    if relation:
        return _by_relation(work, entity, relation, "both", n)
    nodes = work.nodes(entity)
    return _overview(work, nodes, "both")


@tool
def neighbours_by_relation(
    work: Workspace, entity: str, relation: str, direction: Literal["auto", "out", "in", "both"] = "auto", n: int = 20
) -> Observation:
    """Follow one relation from a node, or from all nodes of a list. Gives the nodes it leads to as a new list.

    Args:
        entity: Name or key of the node, or a list such as L1.
        relation: Name of the relation, as the results write it.
        direction: "out" for ->, "in" for <-, "both", or "auto" for out, and in where there is nothing out.
        n: How many triples to show; the list holds all.
    """
    return _by_relation(work, entity, relation, direction, n)


@tool
def inverse_neighbours(work: Workspace, entity: str, relation: str = "", n: int = 20) -> Observation:
    """Tell which nodes point to a node: the triples that enter it, of all relations or of one.

    Args:
        entity: Name or key of the node, or a list such as L1.
        relation: Name of the relation; empty for all.
        n: How many triples to show; the list holds all.
    """
    if relation:
        return _by_relation(work, entity, relation, "in", n)
    return _overview(work, work.nodes(entity), "in")


def _overview(work: Workspace, nodes: Sequence[int], direction: str) -> Observation:
    """Return the relations around nodes, each with its count and the first neighbours."""
    groups: dict[tuple[int, bool], dict[int, Walked]] = {}
    cut = 0
    for walked, is_cut in work.around(nodes, direction):
        cut += is_cut
        for step in walked:
            groups.setdefault((step.relation, step.forward), {}).setdefault(step.end, step)
    who = work.name(nodes[0]) if len(nodes) == 1 else f"the {len(nodes):,} nodes"
    properties = Told([])
    if len(nodes) == 1 and direction == "both":
        properties = first_properties(work, nodes[0], {work.graph.relation_label(relation) for relation, _ in groups})
    if not groups and not properties.lines:
        raise AdviceError(
            f"{who}: there are no triples{' that enter it' * (direction == 'in')}", code="walk.no_triples"
        )
    lines, shown, hidden = list[str](), list[Walked](), list[Walked]()
    entries = list(groups.items())
    for (relation, forward), steps in entries[:_RELATIONS_SHOWN]:
        names = [work.name(end) for end in steps]
        arrow = "->" if forward else "<-"
        label = work.graph.relation_label(relation)
        lines.append(f"{arrow} {label} ({len(steps):,}): {listed(names, _NODES_A_RELATION)}")
    tail = [*properties.lines, *[f"(only the first {LIMIT:,} triples of a node are counted here)"] * bool(cut)]
    more = [work.graph.relation_label(relation) for (relation, _), _ in entries]
    n_shown = work.fitting(lines, [*tail, listed(more, _MORE)])
    if len(entries) > n_shown:
        others = listed(list(dict.fromkeys(more[n_shown:])), _MORE)
        tail.insert(0, f"and {len(entries) - n_shown} more relations: {others}")
    for place, (_, steps) in enumerate(entries[:_RELATIONS_SHOWN]):
        n = _NODES_A_RELATION if place < n_shown else 0
        shown += list(steps.values())[:n]
        hidden += list(steps.values())[n:]
    text = "\n".join([f"{who}:", *lines[:n_shown], *tail])
    return Observation(text, None, (*shown, *hidden), len(shown), properties.items)


def _by_relation(work: Workspace, entity: str, relation: str, direction: str, n: int) -> Observation:
    """Return the triples of one relation and the nodes that they lead to."""
    nodes = work.nodes(entity)
    everything = work.around(nodes, "both")
    present = dict.fromkeys(step.relation for walked, _ in everything for step in walked)
    selected = work.relation(relation, present)
    lists = work.around(nodes, "out" if direction == "auto" else direction, relations=selected)
    if direction == "auto" and not any(walked for walked, _ in lists):
        lists = work.around(nodes, "in", relations=selected)
    steps = list(dict.fromkeys(step for walked, _ in lists for step in walked))
    if not steps:
        raise AdviceError(
            _nothing(work, entity, work.graph.relation_label(selected[0]), direction, everything),
            code="walk.no_neighbours",
        )
    ends = tuple(dict.fromkeys(step.end for step in steps))
    lines = [_line(work, step) for step in steps[:n]]
    tail = [f"their relations: {work.ways(ends)}"]
    if any(is_cut for _, is_cut in lists):
        tail.insert(0, f"(only the first {LIMIT:,} triples of a node were read)")
    n_shown = work.fitting(lines, tail)
    if len(steps) > n_shown:
        tail.insert(0, f"and {len(steps) - n_shown:,} more triples, whose nodes are in the list too")
    return Observation("\n".join([*lines[:n_shown], *tail]), ends, tuple(steps), n_shown)


def _nothing(
    work: Workspace, entity: str, label: str, direction: str, everything: Sequence[tuple[Sequence[Walked], bool]]
) -> str:
    """Return advice for a relation that leads nowhere here, with the relations that lead somewhere."""
    ways = dict.fromkeys(
        f"{'->' if step.forward else '<-'} {work.graph.relation_label(step.relation)}"
        for walked, _ in everything
        for step in walked
    )
    hint = f"; its relations are {listed(list(ways), _RELATIONS_SHOWN)}" if ways else "; it has no relations"
    return f"no {label} leads {'to' if direction == 'in' else 'from'} {entity[:80]}{hint}"


def _line(work: Workspace, step: Walked) -> str:
    arrow = "->" if step.forward else "<-"
    path = f"{work.name(step.start)} {arrow} {work.graph.relation_label(step.relation)} {arrow} {work.name(step.end)}"
    return f"{path}{work.properties_of(step)}"
