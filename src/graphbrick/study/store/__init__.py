"""Studies: pipelines run over questions, recorded in a file that survives a kill."""
