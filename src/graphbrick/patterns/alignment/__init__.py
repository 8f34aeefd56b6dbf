"""Alignment of the words of a question with the hops of a relation pattern."""
