"""Questions about the properties of triples: conditions by time or value, counts, sums, superlatives, dates."""
