"""Reading the replies of language models."""
