"""The values that stages pass on: query, subgraph, path, evidence, answer. All are frozen."""

from graphbrick.core.answer import Answer
from graphbrick.core.evidence import Evidence, Item, Path, Report, step_text
from graphbrick.core.query import Mention, Query
from graphbrick.core.subgraph import Subgraph, seeds_of

__all__ = ["Answer", "Evidence", "Item", "Mention", "Path", "Query", "Report", "Subgraph", "seeds_of", "step_text"]
