"""Retrieve stages that rank relation patterns before they list paths."""
