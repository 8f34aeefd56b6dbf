"""English: word forms, kinds of nouns, and the frames that questions are written in."""
