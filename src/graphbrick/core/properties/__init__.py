"""Properties of entities and triples: their values, and conditions on them."""
