"""The phases of a build. Each phase reads and writes files; its memory does not grow with the graph.

`ingest` takes the output of the readers: triples become positions (two per triple) and relation ids, and keys go to
buckets by hash. `dictionary` finds the first position of every key; entity ids follow the order of first positions.
`rows` numbers and sorts the triples. `texts` writes the names and descriptions of entities. `search` writes the
indexes over names.
"""
