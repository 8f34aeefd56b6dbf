"""Questions with gold queries, made from the schema of a graph by templates."""

from graphbrick.evaluate.gold_queries.generator import QueryQuestion, questions_with_queries
from graphbrick.evaluate.gold_queries.paraphrase import Paraphrases, paraphrased
from graphbrick.evaluate.gold_queries.templates import TEMPLATES

__all__ = ["TEMPLATES", "Paraphrases", "QueryQuestion", "paraphrased", "questions_with_queries"]
