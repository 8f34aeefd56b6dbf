"""Whole questions by rules: for a number, for yes or no, comparisons of entities that they name."""
