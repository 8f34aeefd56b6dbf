"""Relation paths that a language model plans, and models that score or write paths."""
