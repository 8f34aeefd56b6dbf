"""Pipelines: stage kinds, composition, and the text that names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.lazy import lazy_names

if TYPE_CHECKING:
    from graphbrick.pipeline.run import Level as Level
    from graphbrick.pipeline.run import Run as Run
    from graphbrick.pipeline.run import Stop as Stop
    from graphbrick.pipeline.stages import ExtractStage as ExtractStage
    from graphbrick.pipeline.stages import GenerateStage as GenerateStage
    from graphbrick.pipeline.stages import LinkStage as LinkStage
    from graphbrick.pipeline.stages import Pipeline as Pipeline
    from graphbrick.pipeline.stages import PruneStage as PruneStage
    from graphbrick.pipeline.stages import RerankStage as RerankStage
    from graphbrick.pipeline.stages import RetrieveStage as RetrieveStage
    from graphbrick.pipeline.stages import Sequence as Sequence
    from graphbrick.pipeline.stages import Stage as Stage
    from graphbrick.pipeline.stages import Union as Union

_HOMES = {
    "ExtractStage": "stages",
    "GenerateStage": "stages",
    "Level": "run",
    "LinkStage": "stages",
    "Pipeline": "stages",
    "PruneStage": "stages",
    "RerankStage": "stages",
    "RetrieveStage": "stages",
    "Run": "run",
    "Sequence": "stages",
    "Stage": "stages",
    "Stop": "run",
    "Union": "stages",
}
__all__ = [
    "ExtractStage",
    "GenerateStage",
    "Level",
    "LinkStage",
    "Pipeline",
    "PruneStage",
    "RerankStage",
    "RetrieveStage",
    "Run",
    "Sequence",
    "Stage",
    "Stop",
    "Union",
]
__getattr__ = lazy_names(__name__, _HOMES)
