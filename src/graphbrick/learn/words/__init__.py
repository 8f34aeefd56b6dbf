"""The words of a graph: names of classes, words of relations, and what a language model suggests."""
