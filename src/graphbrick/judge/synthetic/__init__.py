"""Data that judges learn from: questions about passages, with right and wrong answers."""
