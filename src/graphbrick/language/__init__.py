"""Language of texts: word forms, folding, stop words, script and language. One answer to each question."""
