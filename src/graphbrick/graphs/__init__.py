"""Graphs on disk: storage, builders and readers."""
