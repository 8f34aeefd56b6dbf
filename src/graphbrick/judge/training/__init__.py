"""Training of judges that need torch."""
