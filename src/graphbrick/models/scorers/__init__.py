"""Scorers: texts in, one number a text out."""
