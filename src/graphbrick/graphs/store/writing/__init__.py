"""Writers of the files of a graph folder, in memory that does not grow with the graph."""
