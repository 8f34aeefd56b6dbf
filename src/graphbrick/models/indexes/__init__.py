"""Building what is searched beside a graph: its kept vectors, and indexes over them."""
