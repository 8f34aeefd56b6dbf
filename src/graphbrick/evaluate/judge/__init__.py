"""Judging answers with a language model."""
