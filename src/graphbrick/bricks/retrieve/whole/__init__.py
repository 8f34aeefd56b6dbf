"""Questions about documents as a whole: their topics, their number, and what one of them is about."""
