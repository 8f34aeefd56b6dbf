"""The peak of memory while stages run."""
