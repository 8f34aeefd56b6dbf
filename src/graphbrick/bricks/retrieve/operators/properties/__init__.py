"""Questions about properties: their values, conditions on them, properties of triples, and cards of entities."""
