"""The one tool of Search-on-Graph: look at the relations of a node, then follow one."""

from __future__ import annotations

from graphbrick.bricks.agents.agent_tool import Observation, Walked, tool
from graphbrick.bricks.agents.tools.walk import neighbours
from graphbrick.bricks.agents.view import LIMIT
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.models.scorers.bm25 import BM25
from graphbrick.patterns.text import readable

_SHOWN = 20  # relations of a node with many; the others are named by their number


@tool
def explore(work: Workspace, entity: str, relation: str = "") -> Observation:
    """Look at a node: its relations in both directions with counts; or with a relation, the nodes it leads to.

    Args:
        entity: Name or key of the node, or a list such as L1.
        relation: Name of a relation that the node has; empty to see which it has.
    """
    if relation:
        return neighbours.function(work, entity=entity, relation=relation)
    nodes = work.nodes(entity)
    counts: dict[tuple[int, bool], dict[int, Walked]] = {}
    is_cut = False
    for walked, has_more in work.around(nodes, "both"):
        is_cut = is_cut or has_more
        for step in walked:
            counts.setdefault((step.relation, step.forward), {}).setdefault(step.end, step)
    labels = [work.graph.relation_label(number) for number, _ in counts]
    order = list(range(len(labels)))
    if len(order) > _SHOWN:
        scores = BM25().rate(work.question, [readable(label) for label in labels])
        # Those that share words with the question first, then the rarest: hubs have many of little meaning.
        order.sort(key=lambda i: (-scores[i], len(list(counts.values())[i])))
    who = work.name(nodes[0]) if len(nodes) == 1 else f"the {len(nodes):,} nodes"
    pairs = list(counts.items())
    lines = [f"{who} has {len(pairs)} relations:" if pairs else f"{who} has no relations"]
    for i in order[:_SHOWN]:
        (_, forward), steps = pairs[i]
        lines.append(f"{'->' if forward else '<-'} {labels[i]} ({len(steps):,})")
    if len(order) > _SHOWN:
        lines.append(f"and {len(order) - _SHOWN} more that fit the question less")
    if is_cut:
        lines.append(f"(only the first {LIMIT:,} triples of a node are counted here)")
    return Observation("\n".join(lines))
