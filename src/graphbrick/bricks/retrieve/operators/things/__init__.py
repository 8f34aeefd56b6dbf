"""Questions about the things that they name: facts, cards, and comparisons of them."""
