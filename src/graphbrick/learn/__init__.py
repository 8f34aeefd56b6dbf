"""Learning a graph from itself: questions written from its own relations teach the scorer of relation patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.lazy import lazy_names

if TYPE_CHECKING:
    from graphbrick.learn.learned import learned_pipeline as learned_pipeline
    from graphbrick.learn.learned import learned_place as learned_place
    from graphbrick.learn.learned import unlearned as unlearned
    from graphbrick.learn.learning import LearnReport as LearnReport
    from graphbrick.learn.learning import learn as learn

_HOMES = {
    "LearnReport": "learning",
    "learn": "learning",
    "learned_pipeline": "learned",
    "learned_place": "learned",
    "unlearned": "learned",
}
__all__ = ["LearnReport", "learn", "learned_pipeline", "learned_place", "unlearned"]
__getattr__ = lazy_names(__name__, _HOMES)
