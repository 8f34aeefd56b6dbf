"""Noun phrases: values, nouns, and what stands around them."""
