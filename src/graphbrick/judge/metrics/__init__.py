"""Scores by a language model without labels: RAGAS metrics, pairs of answers, and criteria."""
