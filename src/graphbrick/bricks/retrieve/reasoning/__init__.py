"""Stages in which a language model walks over the graph: prompts, moves and choices."""
