"""Generate stages: make the answer."""
