"""Kernels for personalized PageRank and random walks."""
