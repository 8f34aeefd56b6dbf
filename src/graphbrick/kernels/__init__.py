"""Compiled kernels, each beside a readable version that is its test oracle. Imported only where used."""
