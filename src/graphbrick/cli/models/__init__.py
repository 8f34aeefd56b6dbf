"""Commands about models: local ones, learning, and training."""
