"""Faults of bricks while a pipeline runs."""
