"""The folder of a graph: its files and how they are read."""
