"""Readers of the files of graph programs: GraphML, GEXF, JSON, JSON lines, OBO, SIF, Pajek and GML.

Each yields `Node` and `Edge` with the fields of the file (`elements`); the rules that make names, types, relations and
properties of fields are the same for all (`roles`). docs/formats.md states them.
"""
