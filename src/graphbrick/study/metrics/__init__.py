"""Measures of one question: answers, paths, subgraphs, rankings."""
