"""Words that language models suggest for a graph, and words near its own."""
