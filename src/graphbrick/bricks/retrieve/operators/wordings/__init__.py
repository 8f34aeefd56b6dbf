"""Everyday wordings of questions over properties, read as what the other rules understand."""
