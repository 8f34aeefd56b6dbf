"""Systems that answer questions about documents, side by side: what they cost to build and to ask, and their scores.

After the RagEvaluator of Klaasse, Lockhorst and De Bleecker, GraphRAG for Dutch public health, 2025.
"""

from graphbrick.evaluate.rag.experiment import RagStudy, evaluate_rag
from graphbrick.evaluate.rag.questions import DOCUMENT, GLOBAL, questions_about
from graphbrick.evaluate.rag.systems import RagSystem, default_systems, read_systems

__all__ = [
    "DOCUMENT",
    "GLOBAL",
    "RagStudy",
    "RagSystem",
    "default_systems",
    "evaluate_rag",
    "questions_about",
    "read_systems",
]
