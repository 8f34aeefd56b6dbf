"""Reports on the communities of a graph: by a language model, or of sentences of its documents."""
