"""Search for the best pipeline of a graph: bricks, their parameters, and questions to choose by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.study.tune.aims import Aim as Aim
    from graphbrick.study.tune.result.result import Tuned as Tuned
    from graphbrick.study.tune.search import tune as tune
    from graphbrick.study.tune.settings import Settings as Settings
    from graphbrick.study.tune.space.space import Space as Space

_HOMES = {
    "Aim": "aims",
    "Settings": "settings",
    "Space": "space.space",
    "Tuned": "result.result",
    "tune": "search",
}
__all__ = ["Aim", "Settings", "Space", "Tuned", "tune"]
__getattr__ = lazy_names(__name__, _HOMES)
