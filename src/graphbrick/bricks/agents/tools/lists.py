"""Tools on named lists of nodes."""

from __future__ import annotations

from functools import reduce

from graphbrick.bricks.agents.agent_tool import AdviceError, Observation, Walked, tool
from graphbrick.bricks.agents.tools.properties import having
from graphbrick.bricks.agents.view import LIMIT
from graphbrick.bricks.agents.workspace import Workspace, listed
from graphbrick.language.folding import name_form

_SHOWN = 20


@tool(name="filter")
def filter_nodes(
    work: Workspace,
    nodes: str,
    of_type: str = "",
    relation: str = "",
    entity: str = "",
    text: str = "",
    property_name: str = "",
    value: str = "",
) -> Observation:
    """Keep the nodes of a list that have a type, a relation, a triple with another node, a property, or words in names.

    Args:
        nodes: A list such as L1.
        of_type: Keep nodes of this type.
        relation: Keep nodes with a triple of this relation, in either direction.
        entity: Keep nodes with a triple that joins them to this node; with relation, by that relation.
        text: Keep nodes with these words in their name or description.
        property_name: Keep nodes whose property of this name has the value.
        value: The value; dates like 2020-05-31.
    """
    if not (of_type or relation or entity or text or property_name):
        raise AdviceError(
            "filter needs a condition: of_type, relation, entity, text or property_name",
            code="filter_nodes.no_condition",
        )
    selected = list(work.list_of(nodes))
    walked: list[Walked] = []
    is_cut = False
    if of_type:
        selected = _of_type(work, selected, of_type)
    if property_name:
        selected = having(work, selected, property_name, value)
    if text:
        form = name_form(text)
        selected = [
            node for node in selected if form in name_form(f"{work.graph.label(node)} {work.graph.description(node)}")
        ]
    if relation or entity:
        selected, walked, is_cut = _joined(work, selected, relation, entity)
    note = f"\n(only the first {LIMIT:,} triples of a node were read, so nodes with more may be missing)" * is_cut
    return Observation(_names(work, selected) + note, tuple(selected), tuple(walked))


@tool
def combine(work: Workspace, lists: list[str]) -> Observation:
    """Unite lists: the nodes that are in any of them.

    Args:
        lists: Lists such as L1, or nodes.
    """
    nodes = dict.fromkeys(node for nodes in _lists(work, "combine", lists) for node in nodes)
    return Observation(_names(work, list(nodes)), tuple(nodes))


@tool
def intersect(work: Workspace, lists: list[str]) -> Observation:
    """Intersect lists: the nodes that are in all of them.

    Args:
        lists: At least two lists such as L1.
    """
    sets = _lists(work, "intersect", lists)
    common = reduce(set.intersection, [set(nodes) for nodes in sets])
    nodes = [node for node in dict.fromkeys(sets[0]) if node in common]
    return Observation(_names(work, nodes), tuple(nodes))


def _lists(work: Workspace, name: str, lists: list[str]) -> list[tuple[int, ...]]:
    """Return the nodes of each list; one text may name several with commas between."""
    names = [part.strip() for text in lists for part in (_parts(work, text))]
    if len(names) < 2:
        there = f"there are {', '.join(work.lists)}" if work.lists else "there is none yet"
        raise AdviceError(f"{name} needs at least two lists; {there}", code="lists.too_few", name=name)
    return [work.nodes(part) for part in names]


def _parts(work: Workspace, text: str) -> list[str]:
    """Return the names in a text: split at commas only if the parts are lists."""
    parts = [part.strip(" []()") for part in text.split(",")]
    return parts if all(part.upper() in work.lists for part in parts) else [text]


def _of_type(work: Workspace, nodes: list[int], type_: str) -> list[int]:
    form = name_form(type_)
    matching = [node for node in nodes if form in map(name_form, work.graph.types(node))]
    if not matching:
        types = list(dict.fromkeys(name for node in nodes for name in work.graph.types(node)))
        raise AdviceError(
            f"no node of the list has the type {type_[:80]!r}; its types are {listed(types, 20) or 'none'}",
            code="filter_nodes.no_type",
            type=type_,
        )
    return matching


def _joined(work: Workspace, nodes: list[int], relation: str, entity: str) -> tuple[list[int], list[Walked], bool]:
    """Return the nodes with a triple of a relation, to an entity, these triples, and whether others may be missing."""
    target = work.entity(entity) if entity else None
    around = work.around(nodes)
    selected = None
    if relation:
        selected = work.relation(relation, dict.fromkeys(step.relation for walked, _ in around for step in walked))
        around = work.around(nodes, relations=selected)
    joined, steps, may_miss = list[int](), list[Walked](), False
    for node, (walked, is_cut) in zip(nodes, around, strict=True):
        matching = [step for step in walked if target is None or step.end == target]
        may_miss = may_miss or (is_cut and not matching)
        if matching:
            joined.append(node)
            steps += matching if target is not None else matching[:1]
    return joined, steps, may_miss


def _names(work: Workspace, nodes: list[int]) -> str:
    return listed([work.name(node) for node in nodes], _SHOWN, " in the list") if nodes else "(no node)"
