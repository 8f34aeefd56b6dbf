"""The learned model of relation patterns."""
