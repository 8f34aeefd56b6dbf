"""Changes of graphs: added and deleted triples, copies of databases and their refresh."""
