"""Questions for all that is known about entities."""
