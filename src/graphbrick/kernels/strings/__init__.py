"""Kernels for texts: hashes, folded names, lines of N-Triples."""
