"""The values that stages pass on: query, subgraph, path, evidence, answer. All are frozen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.lazy import lazy_names

if TYPE_CHECKING:
    from graphbrick.core.answer import Answer as Answer
    from graphbrick.core.evidence import Evidence as Evidence
    from graphbrick.core.evidence import Item as Item
    from graphbrick.core.evidence import Path as Path
    from graphbrick.core.evidence import Report as Report
    from graphbrick.core.evidence import step_text as step_text
    from graphbrick.core.query import Mention as Mention
    from graphbrick.core.query import Query as Query
    from graphbrick.core.subgraph import Subgraph as Subgraph
    from graphbrick.core.subgraph import seeds_of as seeds_of

_HOMES = {
    "Answer": "answer",
    "Evidence": "evidence",
    "Item": "evidence",
    "Mention": "query",
    "Path": "evidence",
    "Query": "query",
    "Report": "evidence",
    "Subgraph": "subgraph",
    "seeds_of": "subgraph",
    "step_text": "evidence",
}
__all__ = ["Answer", "Evidence", "Item", "Mention", "Path", "Query", "Report", "Subgraph", "seeds_of", "step_text"]
__getattr__ = lazy_names(__name__, _HOMES)
