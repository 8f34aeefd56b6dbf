"""What follows from verdicts and labels: corrected scores of systems, and what the judge is worth."""
