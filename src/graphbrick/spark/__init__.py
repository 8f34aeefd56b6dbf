"""Graphs that do not fit one machine: extraction, PageRank and graph building as Spark jobs.

Needs the extra ``graphbrick[spark]`` and Java 17. `session` starts Spark; `errors` tells its errors in one line.
"""
