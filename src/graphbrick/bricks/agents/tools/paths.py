"""A tool that finds how two nodes are connected."""

from __future__ import annotations

from graphbrick.bricks.agents.agent_tool import AdviceError, Observation, Walked, tool
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.core.compute import check_limits

_MOST_HOPS = 4
_WIDEST = 2_000  # nodes of one hop
_MOST_PATHS = 5
_A_NODE = 200  # triples followed of a node


@tool
def paths(work: Workspace, start: str, end: str, max_hops: int = 3) -> Observation:
    """Find the shortest paths between two nodes.

    Args:
        start: Name or key of the first node.
        end: Name or key of the second node.
        max_hops: Most triples in a path, from 1 to 4.
    """
    source, target = work.entity(start), work.entity(end)
    if source == target:
        raise AdviceError("start and end are the same node; give two nodes", code="paths.same_node")
    hops = min(max_hops, _MOST_HOPS)
    ways, is_cut = shortest(work, source, target, hops)
    if not ways:
        within = " among the first triples of large nodes" if is_cut else ""
        raise AdviceError(
            f"no path of at most {hops} triples joins {work.name(source)} and {work.name(target)}{within}",
            code="paths.none",
            hops=hops,
        )
    lines = [_text(work, source, path) for path in ways[:_MOST_PATHS]]
    if len(ways) > _MOST_PATHS:
        lines.append(f"and {len(ways) - _MOST_PATHS:,} more of the same length")
    steps = dict.fromkeys(step for path in ways[:_MOST_PATHS] for step in path)
    return Observation("\n".join(lines), None, tuple(steps))


def shortest(work: Workspace, source: int, target: int, max_hops: int) -> tuple[list[list[Walked]], bool]:
    """Return all shortest paths between two nodes, by breadth-first search, and whether a limit cut the search."""
    arriving: dict[int, list[Walked]] = {source: []}  # the steps by which a shortest path arrives
    frontier, is_cut = [source], False
    for _ in range(max_hops):
        check_limits()
        is_cut |= len(frontier) > _WIDEST
        frontier = frontier[:_WIDEST]
        following: dict[int, list[Walked]] = {}
        for walked, cut in work.around(frontier, limit=_A_NODE):
            is_cut |= cut
            for step in dict.fromkeys(walked):  # parallel triples are one step
                if step.end not in arriving:
                    following.setdefault(step.end, []).append(step)
        arriving |= following
        if target in following:
            return _unwound(arriving, source, target), is_cut
        frontier = list(following)
    return [], is_cut


def _unwound(arriving: dict[int, list[Walked]], source: int, target: int) -> list[list[Walked]]:
    """Return the paths that end in a target, at most a hundred."""
    unfinished: list[list[Walked]] = [[step] for step in arriving[target]]
    whole: list[list[Walked]] = []
    while unfinished and len(whole) < 100:
        path = unfinished.pop(0)
        if path[0].start == source:
            whole.append(path)
        else:
            unfinished += [[step, *path] for step in arriving[path[0].start]]
    return whole


def _text(work: Workspace, source: int, path: list[Walked]) -> str:
    text = work.name(source)
    for step in path:
        arrow = "->" if step.forward else "<-"
        text += f" {arrow} {work.graph.relation_label(step.relation)} {arrow} {work.name(step.end)}"
    return text
