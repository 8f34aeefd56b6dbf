"""Folder graphs made from a part of a larger graph, one for each question."""
