"""Commands about graphs and the files beside them."""
