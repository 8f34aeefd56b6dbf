"""Questions that a path answers."""
