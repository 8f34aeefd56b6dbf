"""Link stages: find the seeds of a question."""
