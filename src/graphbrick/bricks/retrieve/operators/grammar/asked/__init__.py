"""Whole questions by the grammar: for entities, for numbers and values, for yes or no, for one of two."""
