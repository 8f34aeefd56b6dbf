"""The judges: a language model asked by a rubric, baselines, and trained ones."""
