"""The tables and figures of a paper, ours beside the published values."""
