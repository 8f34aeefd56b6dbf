"""Language of texts: word forms, folding, stop words, script and language."""
