"""Measuring pipelines."""
