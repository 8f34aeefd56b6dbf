"""Training of models over relation patterns on questions with answers."""
