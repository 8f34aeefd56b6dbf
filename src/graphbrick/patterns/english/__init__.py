"""English: what relation labels say, usual words of relations and classes, and meanings of nouns."""
