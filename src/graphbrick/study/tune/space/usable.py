"""Options of a default space that can run: bricks of other packages may be faulty, and reports may not be there."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.parameters import declared
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import catalog
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.parsing import parse, parse_brick
from graphbrick.study.tune.space.space import filled
from graphbrick.text.reporting.reports import reports_of


def options_of(
    option: Callable[[type[Brick]], str], models: Mapping[str, Sequence[str]], graph: Graph
) -> tuple[list[str], list[str]]:
    """Return the options of a stage that can run on a graph, and sentences about those that cannot.

    Args:
        option: Gives a brick as recipe text; empty if it does not take part.
        models: Recipe texts of the models by name.
        graph: The graph.
    """
    options, left_out = list[str](), list[str]()
    first = {name: texts[0] for name, texts in models.items()}
    for brick in catalog.all_bricks().values():
        try:
            text = option(brick)
            pipeline = parse(filled(text, first)) if text else None
        except Exception as error:
            if _is_own(brick):
                raise
            left_out.append(_left_out(brick, error))
            continue
        if pipeline is None:
            continue
        if any(stage.reads_reports for stage in pipeline.stages_within()) and not _has_reports(graph):
            left_out.append(
                f"graphbrick prepare reports {shlex.quote(str(graph.place))} brings in reports on communities"
            )
        else:
            options.append(text)
    return options, left_out


def scorers() -> tuple[list[str], list[str]]:
    """Return the scorers of other packages that need no parameter, and sentences about those that are faulty."""
    texts, left_out = list[str](), list[str]()
    for brick in catalog.all_bricks().values():
        if _is_own(brick) or not issubclass(brick, Scorer):
            continue
        try:
            if all(one.default is not None for one in brick.parameters()):
                declared(brick)
                texts.append(repr(parse_brick(f"{brick.__name__}()")))
        except Exception as error:  # noqa: BLE001 - of a plug-in, without which the search goes on
            left_out.append(_left_out(brick, error))
    return texts, left_out


def _is_own(brick: type[Brick]) -> bool:
    return brick.__module__.startswith("graphbrick.")


def _left_out(brick: type[Brick], error: Exception) -> str:
    """Return that a brick of another package cannot take part."""
    reason = str(error) if isinstance(error, GraphbrickError) else f"{type(error).__name__}: {error}"
    return f"the plug-in {brick.__name__} is left out: {' '.join(reason.split())}"


def _has_reports(graph: Graph) -> bool:
    try:
        reports_of(graph)
    except GraphbrickError:
        return False
    return True
