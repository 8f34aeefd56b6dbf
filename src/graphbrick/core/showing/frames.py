"""Values as tables of pandas, which is an optional package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from graphbrick.core.errors import GraphbrickError


def frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns as a table of pandas.

    Raises:
        GraphbrickError: pandas is not installed.
    """
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise GraphbrickError(
            "to_pandas() needs the package pandas: pip install pandas", code="frames.no_pandas", package=error.name
        ) from error
    return pandas.DataFrame(dict(columns))


def items_frame(items: Sequence[Any]) -> Any:
    """Return items of evidence as a table, a row each; `Evidence.to_pandas` says what it has."""
    return frame(
        {
            "kind": [item.kind for item in items],
            "text": [item.text for item in items],
            "score": [item.score for item in items],
            "source": [item.source for item in items],
            "entities": [
                [] if item.graph is None else [item.graph.label(entity) for entity in item.entities] for item in items
            ],
            "documents": [[one.document for one in item.citations if one.document] for item in items],
        }
    )
