"""Reports on verdicts and labels: corrected scores of systems, and the quality of the judge."""
