"""Pipelines: stage kinds, composition, and the text that names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.pipeline.composition import Pipeline as Pipeline
    from graphbrick.pipeline.composition import Repeat as Repeat
    from graphbrick.pipeline.composition import Sequence as Sequence
    from graphbrick.pipeline.composition import Union as Union
    from graphbrick.pipeline.conditions import Condition as Condition
    from graphbrick.pipeline.interpreter import execute as execute
    from graphbrick.pipeline.run import Level as Level
    from graphbrick.pipeline.run import Run as Run
    from graphbrick.pipeline.run import Stop as Stop
    from graphbrick.pipeline.stages import ExpandStage as ExpandStage
    from graphbrick.pipeline.stages import ExtractStage as ExtractStage
    from graphbrick.pipeline.stages import GenerateStage as GenerateStage
    from graphbrick.pipeline.stages import LinkStage as LinkStage
    from graphbrick.pipeline.stages import PruneStage as PruneStage
    from graphbrick.pipeline.stages import RerankStage as RerankStage
    from graphbrick.pipeline.stages import RetrieveStage as RetrieveStage
    from graphbrick.pipeline.stages import Stage as Stage

_HOMES = {
    "Condition": "conditions",
    "ExpandStage": "stages",
    "ExtractStage": "stages",
    "GenerateStage": "stages",
    "Level": "run",
    "LinkStage": "stages",
    "Pipeline": "composition",
    "PruneStage": "stages",
    "Repeat": "composition",
    "RerankStage": "stages",
    "RetrieveStage": "stages",
    "Run": "run",
    "Sequence": "composition",
    "Stage": "stages",
    "Stop": "run",
    "Union": "composition",
    "execute": "interpreter",
}
__all__ = [
    "Condition",
    "ExpandStage",
    "ExtractStage",
    "GenerateStage",
    "Level",
    "LinkStage",
    "Pipeline",
    "PruneStage",
    "Repeat",
    "RerankStage",
    "RetrieveStage",
    "Run",
    "Sequence",
    "Stage",
    "Stop",
    "Union",
    "execute",
]
__getattr__ = lazy_names(__name__, _HOMES)
