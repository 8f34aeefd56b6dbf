"""Questions with gold queries, made from the schema of a graph by templates."""

from graphbrick.evaluate.gold_queries.generator import TEMPLATES, QueryQuestion, questions_with_queries

__all__ = ["TEMPLATES", "QueryQuestion", "questions_with_queries"]
