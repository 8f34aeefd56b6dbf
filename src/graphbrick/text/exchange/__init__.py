"""Import and export of graphs that other programs made from text."""
