"""The best pipeline for a graph, searched for: bricks, their parameters, and questions to choose by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.lazy import lazy_names

if TYPE_CHECKING:
    from graphbrick.tune.aims import Aim as Aim
    from graphbrick.tune.result import Tuned as Tuned
    from graphbrick.tune.search import tune as tune
    from graphbrick.tune.settings import Settings as Settings
    from graphbrick.tune.space import Space as Space

_HOMES = {"Aim": "aims", "Settings": "settings", "Space": "space", "Tuned": "result", "tune": "search"}
__all__ = ["Aim", "Settings", "Space", "Tuned", "tune"]
__getattr__ = lazy_names(__name__, _HOMES)
