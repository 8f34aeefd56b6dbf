"""Judge@1: share of first answers that equal a gold answer by the verdict of a language model."""
