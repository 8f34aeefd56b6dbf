"""Retrieve stages that list paths from the seeds: all, shortest, or the best by beam search."""
