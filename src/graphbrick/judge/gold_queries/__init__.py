"""Questions with gold queries, made from the schema of a graph by templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.deferred import lazy_names

if TYPE_CHECKING:
    from graphbrick.judge.gold_queries.generator import QueryQuestion as QueryQuestion
    from graphbrick.judge.gold_queries.generator import questions_with_queries as questions_with_queries
    from graphbrick.judge.gold_queries.paraphrase import Paraphrases as Paraphrases
    from graphbrick.judge.gold_queries.paraphrase import paraphrased as paraphrased
    from graphbrick.judge.gold_queries.templates import TEMPLATES as TEMPLATES

_HOMES = {
    "Paraphrases": "paraphrase",
    "QueryQuestion": "generator",
    "TEMPLATES": "templates",
    "paraphrased": "paraphrase",
    "questions_with_queries": "generator",
}
__all__ = ["TEMPLATES", "Paraphrases", "QueryQuestion", "paraphrased", "questions_with_queries"]
__getattr__ = lazy_names(__name__, _HOMES)
