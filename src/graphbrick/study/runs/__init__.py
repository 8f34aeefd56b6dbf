"""Running pipelines over questions and recording what came of it."""
