"""The phases of a build, each from files to files, in memory that does not grow with the graph.

`ingest` takes what readers give: triples become positions (two a triple) and relation ids, keys go to buckets by their
hash. `dictionary` finds the first position of every key. Ids go by first position, so that `rows` can number and sort
the triples and `texts` can write what the entities are called, each from buckets of its own; `search` writes the
indexes over names.
"""
