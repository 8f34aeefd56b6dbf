"""Learning a graph from itself: questions written from its relations teach a scorer of patterns.

The module can be called: ``graphbrick.learn(graph)`` is `learn`, because the area and its verb have one name.
"""

from __future__ import annotations

import sys
from types import ModuleType

from graphbrick.core.deferred import lazy_names

TYPE_CHECKING = False  # as in typing, which `import graphbrick` does without
if TYPE_CHECKING:
    from graphbrick.learn.feedback import Feedback as Feedback
    from graphbrick.learn.feedback import add_feedback as add_feedback
    from graphbrick.learn.feedback import feedback_place as feedback_place
    from graphbrick.learn.feedback import read_feedback as read_feedback
    from graphbrick.learn.learned import learned_pipeline as learned_pipeline
    from graphbrick.learn.learned import learned_place as learned_place
    from graphbrick.learn.learned import unlearned as unlearned
    from graphbrick.learn.learning import LearnReport as LearnReport
    from graphbrick.learn.learning import learn as learn
    from graphbrick.learn.renewal import renew as renew

_HOMES = {
    "Feedback": "feedback",
    "LearnReport": "learning",
    "add_feedback": "feedback",
    "feedback_place": "feedback",
    "learn": "learning",
    "learned_pipeline": "learned",
    "learned_place": "learned",
    "read_feedback": "feedback",
    "renew": "renewal",
    "unlearned": "learned",
}
__all__ = [
    "Feedback",
    "LearnReport",
    "add_feedback",
    "feedback_place",
    "learn",
    "learned_pipeline",
    "learned_place",
    "read_feedback",
    "renew",
    "unlearned",
]
__getattr__ = lazy_names(__name__, _HOMES)


class _Area(ModuleType):
    """The type of this module."""

    def __call__(self, *args: object, **options: object) -> object:
        """Call `learn`."""
        return __getattr__("learn")(*args, **options)


sys.modules[__name__].__class__ = _Area
