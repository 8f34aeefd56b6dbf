"""The result of a search: its figures, files, and rules of thumb."""
