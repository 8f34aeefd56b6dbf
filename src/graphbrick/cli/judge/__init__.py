"""Commands about judges and labels."""
