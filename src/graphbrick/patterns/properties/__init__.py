"""Properties as questions speak of them: their names, and their values as numbers and as words."""
