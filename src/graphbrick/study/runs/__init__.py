"""Running pipelines over questions and recording the results."""
