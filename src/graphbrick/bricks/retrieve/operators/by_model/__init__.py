"""Plans of operator questions that a language model writes."""
