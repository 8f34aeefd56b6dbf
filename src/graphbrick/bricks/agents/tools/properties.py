"""A tool that finds nodes by the values of a property, and the properties of nodes as texts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from graphbrick.bricks.agents.agent_tool import AdviceError, AgentTool, Observation, tool
from graphbrick.bricks.agents.workspace import Workspace, listed
from graphbrick.core import Citation, Row
from graphbrick.core.errors import InputError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.stated import shortened, shown_properties, stated_condition
from graphbrick.language.folding import name_form

_MOST, _LONGEST = 40, 400  # properties of a node that are told, and characters of a value
_FEW, _SHORT = 12, 80  # likewise, beside relations
_EXAMPLES = 5
_NAMED = 30  # properties that a model is told before it begins


@tool(needs_properties=True)
def where(
    work: Workspace,
    name: str,
    equals: str = "",
    above: str = "",
    at_least: str = "",
    below: str = "",
    at_most: str = "",
    of_type: str = "",
    n: int = 20,
) -> Observation:
    """Find nodes by the value of a property, such as a number or a date. Gives them as a new list.

    Args:
        name: Name of the property.
        equals: The value; dates like 2020-05-31.
        above: A value that is less.
        at_least: A value that is less or equal.
        below: A value that is greater.
        at_most: A value that is greater or equal.
        of_type: Only nodes of this type.
        n: How many nodes to show; the list holds all.
    """
    columns = work.graph.property_columns()
    bounds = {"equals": equals, "above": above, "at_least": at_least, "below": below, "at_most": at_most}
    try:
        condition = stated_condition(columns, name, bounds)
    except InputError as error:
        raise AdviceError(str(error), code="where.no_condition", name=name) from error
    nodes = [int(node) for node in work.graph.matching(condition) if work.holds(int(node))]
    if of_type:
        form = name_form(of_type)
        nodes = [node for node in nodes if form in map(name_form, work.graph.types(node))]
    if not nodes:
        known = (text for column in columns if column.name == condition.name for text in column.examples)
        examples = [shortened(" ".join(text.split()), _SHORT) for text in known]
        hint = f"; values are such as {', '.join(examples[:_EXAMPLES])}" if examples else ""
        raise AdviceError(f"no node has such a {condition.name}{hint}", code="where.no_node", name=condition.name)
    call = Citation(query=f"where({_stated(condition)}{f', of_type={of_type}' if of_type else ''})")
    rows = [_row(work, node, condition.name, call) for node in nodes[:n]]
    lines = [f"{work.described(node)}: {row.values[1]}" for node, row in zip(nodes, rows, strict=False)]
    n_shown = work.fitting(lines)
    more = [f"and {len(nodes) - n_shown:,} more in the list"] * (len(nodes) > n_shown)
    return Observation("\n".join([*lines[:n_shown], *more]), tuple(nodes), items=tuple(rows[:n_shown]))


def having(work: Workspace, nodes: Sequence[int], name: str, value: str) -> list[int]:
    """Return the nodes of a list whose property has a value.

    Raises:
        AdviceError: The graph has no properties, none of this name, or no value was given.
    """
    if Capability.PROPERTIES not in capabilities_of(work.graph):
        raise AdviceError("the nodes of this graph have no properties; leave property_name out", code="having.none")
    try:
        condition = stated_condition(work.graph.property_columns(), name, {"equals": value})
    except InputError as error:
        raise AdviceError(str(error), code="having.no_condition", name=name) from error
    matching = set(map(int, work.graph.matching(condition)))
    return [node for node in nodes if node in matching]


def _stated(condition: Condition) -> str:
    return ", ".join([condition.name, *(f"{name}={bound}" for name, bound in condition.bounds.items())])


def _row(work: Workspace, node: int, name: str, call: Citation) -> Row:
    """Return a node with its value of a property."""
    own = work.graph.properties(node)
    value = {name: own[name]} if name in own else {}  # a database may find a text in a language that it does not list
    text = next((text for _, text in shown_properties(value, 1, _LONGEST)), "")
    return Row(("node", name), (work.name(node), text), (call,), (node,), work.graph)


class Told(NamedTuple):
    """Properties of a node as lines for a model, and as items of evidence; both empty without properties."""

    lines: list[str]
    items: tuple[Row, ...] = ()


def all_properties(work: Workspace, node: int, before: Sequence[str]) -> Told:
    """Return the properties of a node, as many as are read after other lines."""
    pairs = _pairs(work, node, _MOST, _LONGEST)
    n_shown = work.fitting([_line(pair) for pair in pairs], before)
    more = [f"and {len(pairs) - n_shown} more properties"] * (len(pairs) > n_shown)
    told = _told(work, node, pairs[:n_shown])
    return Told([*told.lines, *more], told.items)


def first_properties(work: Workspace, node: int, relations: Collection[str]) -> Told:
    """Return the first properties of a node in short, without those that are relations of it as well."""
    return _told(work, node, _pairs(work, node, _FEW, _SHORT, relations))


def _pairs(work: Workspace, node: int, most: int, longest: int, without: Collection[str] = ()) -> list[tuple[str, str]]:
    if Capability.PROPERTIES not in capabilities_of(work.graph):
        return []
    own = {name: value for name, value in work.graph.properties(node).items() if name not in without}
    return list(shown_properties(own, most, longest))


def _told(work: Workspace, node: int, pairs: Sequence[tuple[str, str]]) -> Told:
    if not pairs:
        return Told([])
    columns, values = zip(*(("node", work.name(node)), *pairs), strict=True)
    return Told([_line(pair) for pair in pairs], (Row(columns, values, (), (node,), work.graph),))


def _line(pair: tuple[str, str]) -> str:
    return f"{pair[0]} = {pair[1]}"


def with_names(one: AgentTool, graph: Any) -> AgentTool:
    """Return the tool `where` for a model, with the names of the properties of a folder graph."""
    if one is not where or Capability.STORED not in capabilities_of(graph):
        return one
    names = list(dict.fromkeys(column.name for column in graph.property_columns()))
    return replace(one, description=f"{one.description} Properties: {listed(names, _NAMED)}.") if names else one


def names_properties(one: AgentTool) -> bool:
    """Return whether `with_names` told the names of properties in a tool."""
    return one.name == where.name and one is not where
