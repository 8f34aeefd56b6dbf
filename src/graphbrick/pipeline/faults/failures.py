"""Faults of bricks: exceptions inside them, and subgraphs that break the contract of their kind."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

import numpy as np

from graphbrick.core import Query, Subgraph
from graphbrick.core.csr import ScatteredCsr
from graphbrick.core.errors import BrickError, GraphbrickError, PipelineError, shown
from graphbrick.pipeline.apply import Apply
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.composition import Pipeline, parts_within
from graphbrick.pipeline.stages import ExpandStage, ExtractStage, PruneStage, Stage

_LONGEST_REASON = 300  # characters of an exception that are told


def failure_of(part: Brick | Pipeline, question: str, error: BaseException) -> BrickError:
    """Return the error for an exception inside a part of a pipeline, with the brick, its type and the line of code."""
    frames = traceback.extract_tb(error.__traceback__)
    codes = [one.function if isinstance(one, Apply) else type(one) for one in parts_within(part)]
    own = {getattr(sys.modules.get(str(code.__module__)), "__file__", None) for code in codes}
    last = ([frame for frame in frames if frame.filename in own] or frames)[-1]
    place = f"{'/'.join(Path(last.filename).parts[-2:])}, line {last.lineno}"
    name = type(error).__name__
    words = " ".join(str(error).split())
    reason = f"{name}: {words[:_LONGEST_REASON]}" if words else name
    reason += "; copy an array before you change it" * ("read-only" in words)
    return BrickError(
        f"{shown(part)} failed with {reason} ({place})",
        code="run.brick_failed",
        stage=shown(part),
        type=name,
        question=question,
    )


def damage_of(graph: object) -> GraphbrickError | None:
    """Return the damage of the files of a graph, which may be why a stage failed; None if they are whole."""
    check = getattr(graph, "check", None)
    try:
        if callable(check):
            check()
    except GraphbrickError as error:
        return error
    return None


def check_subgraph(stage: Stage, query: Query, result: Subgraph, before: Subgraph) -> None:
    """Raise PipelineError if the subgraph of a stage breaks the contract of its kind; see `fault_of_subgraph`."""
    fault = fault_of_subgraph(stage, query, result, before)
    if fault:
        raise PipelineError(
            f"{stage.kind} of {stage!r} returned a subgraph {fault}",
            code="run.bad_subgraph",
            stage=repr(stage),
            fault=fault,
        )


def fault_of_subgraph(stage: Stage, query: Query, result: Subgraph, before: Subgraph) -> str:
    """Return how the subgraph of a stage breaks the contract of its kind, as the end of a sentence; empty if not.

    Args:
        stage: An extract, expand or prune stage.
        query: The question with its seeds.
        result: What the stage returned.
        before: The subgraph that it got; the whole graph for an extract stage.
    """
    fault = "of another graph" if result.graph is not before.graph else fault_in(result)
    if fault:
        return fault
    if isinstance(stage, PruneStage) and not holds(before, result):
        return "with more than the one it got"
    if isinstance(stage, ExpandStage) and not holds(result, before):
        return "without all of the one it got"
    if isinstance(stage, ExtractStage) and not result.n_nodes:
        return ""  # it found nothing
    lost = [seed for seed in query.seeds if before.local([seed]) and not result.local([seed])]
    if lost:
        name = shown(before.graph.label(lost[0]), 80)
        return f"without the seed {name}; keep np.union1d of yours and the seeds"
    return ""


def fault_in(view: Subgraph) -> str:
    """Return what is wrong with the arrays, as the end of a sentence; empty if they are as they must be."""
    if view.nodes is None or view.triples is None:
        return ""
    for name, ids in (("nodes", view.nodes), ("triples", view.triples)):
        if not isinstance(ids, np.ndarray) or ids.dtype != np.int32 or ids.ndim != 1:
            got = f"{ids.ndim}-d {ids.dtype}" if isinstance(ids, np.ndarray) else type(ids).__name__
            return f"whose {name} are not a one-dimensional array of int32, but {got}"
        if (ids[1:] <= ids[:-1]).any():
            return f"whose {name} are not ascending and distinct; np.unique makes them so"
    if len(view.nodes) and not 0 <= view.nodes[0] <= view.nodes[-1] < view.graph.n_entities:
        return f"with entities that the graph does not have; its ids are 0 to {view.graph.n_entities - 1:,}"
    known = view.graph.triple_ids() if isinstance(view.graph.csr, ScatteredCsr) else np.arange(view.graph.n_triples)
    if not np.isin(view.triples, known, assume_unique=True).all():
        return "with triples that the graph does not have"
    whole = view.graph.csr
    ends = np.union1d(whole.heads(view.triples), whole.tail[view.triples])
    if not np.isin(ends, view.nodes, assume_unique=True).all():
        return "with triples whose ends are not both among its nodes"
    return ""


def holds(view: Subgraph, other: Subgraph) -> bool:
    """Return whether all entities and triples of another view of the graph are in this one."""
    if view.nodes is None or view.triples is None:
        return True
    if other.nodes is None or other.triples is None:
        other = Subgraph(other.graph, np.arange(other.graph.n_entities, dtype=np.int32), other.graph.triple_ids())
    pairs = (other.nodes, view.nodes), (other.triples, view.triples)
    return all(bool(np.isin(part, own, assume_unique=True).all()) for part, own in pairs)  # type: ignore[arg-type]
