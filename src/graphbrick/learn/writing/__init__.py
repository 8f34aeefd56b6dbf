"""Questions written from the relations of a graph."""
