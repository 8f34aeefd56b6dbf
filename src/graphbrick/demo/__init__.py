"""The world graph and its questions: a demonstration that needs no download."""
