"""The changes of a graph since it was built, as its readers see them."""
