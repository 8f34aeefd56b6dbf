"""A grammar of questions: every word of a question has a place in it, or the question is not read."""
