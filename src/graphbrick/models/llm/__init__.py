"""Language models: behind an OpenAI-compatible endpoint, or on this machine."""
