"""Means, confidence intervals and paired tests over questions."""
