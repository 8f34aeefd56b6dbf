"""Algorithms of Spark jobs: walks, PageRank, hops and components."""
