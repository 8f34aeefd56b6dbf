"""Documents and their passages, and the database that keeps them."""
