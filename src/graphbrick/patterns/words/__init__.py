"""What relations and classes of a graph are called, read from its labels."""
