"""Regular expressions that cost nothing until they are needed."""
