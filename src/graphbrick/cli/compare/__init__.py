"""Commands that compare pipelines, and commands about data sets of questions."""
