"""Entities at the ends of relation patterns, and features that choose among them."""
