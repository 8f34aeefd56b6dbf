"""Scores by a language model without labels: metrics of RAGAS, pairs of answers, and criteria in words."""
