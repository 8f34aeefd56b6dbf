"""Training of language models on questions with answers."""
