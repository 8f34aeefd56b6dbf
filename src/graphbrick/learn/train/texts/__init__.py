"""Training of embedding models and re-rankers on questions with answers."""
