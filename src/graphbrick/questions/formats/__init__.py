"""Readers of question files, one file a format."""
