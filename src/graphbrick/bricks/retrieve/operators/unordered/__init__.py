"""Readings of questions by their parts, whatever the order of their words."""
