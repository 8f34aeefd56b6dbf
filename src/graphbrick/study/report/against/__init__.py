"""Charts of pipelines as points: quality against time, tokens, size of subgraphs, recall and number of paths."""
