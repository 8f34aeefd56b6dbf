"""Retrieve stages: find evidence."""
