"""Limits of the server: on requests, on runs at the same time, on streams."""
