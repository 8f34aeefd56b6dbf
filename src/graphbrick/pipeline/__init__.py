"""Pipelines: stage kinds, composition, and the text that names them."""

from graphbrick.pipeline.stages import (
    ExtractStage,
    GenerateStage,
    LinkStage,
    Pipeline,
    PruneStage,
    RerankStage,
    RetrieveStage,
    Sequence,
    Stage,
    Union,
)

__all__ = [
    "ExtractStage",
    "GenerateStage",
    "LinkStage",
    "Pipeline",
    "PruneStage",
    "RerankStage",
    "RetrieveStage",
    "Sequence",
    "Stage",
    "Union",
]
