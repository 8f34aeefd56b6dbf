"""Graphs to and from the storage folders of LightRAG."""
