"""Extract stages: take a subgraph around the seeds."""
