"""Fitting models of relation patterns to written questions."""
