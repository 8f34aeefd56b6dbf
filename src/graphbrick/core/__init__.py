"""The values that stages pass on: query, subgraph, items of evidence, answer. All are frozen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.core.answer import Answer as Answer
    from graphbrick.core.evidence import Evidence as Evidence
    from graphbrick.core.evidence import texts_of as texts_of
    from graphbrick.core.items import BaseItem as BaseItem
    from graphbrick.core.items import Citation as Citation
    from graphbrick.core.items import Entity as Entity
    from graphbrick.core.items import Item as Item
    from graphbrick.core.items import Passage as Passage
    from graphbrick.core.items import Point as Point
    from graphbrick.core.items import Property as Property
    from graphbrick.core.items import Report as Report
    from graphbrick.core.items import Row as Row
    from graphbrick.core.items import Scorable as Scorable
    from graphbrick.core.items import Triple as Triple
    from graphbrick.core.path import Path as Path
    from graphbrick.core.path import PathPattern as PathPattern
    from graphbrick.core.path import Reading as Reading
    from graphbrick.core.path import Step as Step
    from graphbrick.core.path import step_text as step_text
    from graphbrick.core.query import Mention as Mention
    from graphbrick.core.query import Query as Query
    from graphbrick.core.subgraph import Subgraph as Subgraph
    from graphbrick.core.subgraph import seeds_of as seeds_of

__version__ = "1.0.0rc1"

_HOMES = {
    "Answer": "answer",
    "BaseItem": "items",
    "Citation": "items",
    "Evidence": "evidence",
    "Entity": "items",
    "Item": "items",
    "Mention": "query",
    "Passage": "items",
    "Path": "path",
    "PathPattern": "path",
    "Query": "query",
    "Reading": "path",
    "Point": "items",
    "Property": "items",
    "Report": "items",
    "Row": "items",
    "Scorable": "items",
    "Step": "path",
    "Subgraph": "subgraph",
    "Triple": "items",
    "seeds_of": "subgraph",
    "step_text": "path",
    "texts_of": "evidence",
}
__all__ = [
    "Answer",
    "BaseItem",
    "Citation",
    "Entity",
    "Evidence",
    "Item",
    "Mention",
    "Passage",
    "Path",
    "PathPattern",
    "Point",
    "Property",
    "Query",
    "Reading",
    "Report",
    "Row",
    "Scorable",
    "Step",
    "Subgraph",
    "Triple",
    "__version__",
    "seeds_of",
    "step_text",
    "texts_of",
]
__getattr__ = lazy_names(__name__, _HOMES)
