"""Retrieve stages over the passages of documents and the reports on their graph."""
