"""Systems that answer questions about documents, side by side: costs and scores.

After the RagEvaluator of Klaasse, Lockhorst and De Bleecker, GraphRAG for Dutch public health, 2025.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.judge.rag.building import Documents as Documents
    from graphbrick.judge.rag.experiment import RagStudy as RagStudy
    from graphbrick.judge.rag.experiment import evaluate_rag as evaluate_rag
    from graphbrick.judge.rag.questions import DOCUMENT as DOCUMENT
    from graphbrick.judge.rag.questions import GLOBAL as GLOBAL
    from graphbrick.judge.rag.questions import QuestionWriting as QuestionWriting
    from graphbrick.judge.rag.questions import questions_about as questions_about
    from graphbrick.judge.rag.systems import RagSystem as RagSystem
    from graphbrick.judge.rag.systems import default_systems as default_systems
    from graphbrick.judge.rag.systems import read_systems as read_systems

_HOMES = {
    "DOCUMENT": "questions",
    "Documents": "building",
    "GLOBAL": "questions",
    "QuestionWriting": "questions",
    "RagStudy": "experiment",
    "RagSystem": "systems",
    "default_systems": "systems",
    "evaluate_rag": "experiment",
    "questions_about": "questions",
    "read_systems": "systems",
}
__all__ = [
    "DOCUMENT",
    "GLOBAL",
    "Documents",
    "QuestionWriting",
    "RagStudy",
    "RagSystem",
    "default_systems",
    "evaluate_rag",
    "questions_about",
    "read_systems",
]
__getattr__ = lazy_names(__name__, _HOMES)
