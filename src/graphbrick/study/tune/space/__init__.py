"""The space of pipelines that a search draws from."""
