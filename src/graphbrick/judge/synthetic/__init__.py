"""Data that judges learn from: questions written about passages, with right and wrong passages and answers."""
