"""Making a graph from documents, and keeping it up to date."""
