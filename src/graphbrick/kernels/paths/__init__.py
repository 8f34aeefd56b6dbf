"""Kernels for neighbourhoods, paths and relation patterns."""
