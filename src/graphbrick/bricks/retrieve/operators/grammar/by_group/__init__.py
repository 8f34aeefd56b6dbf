"""Questions for a number of each group, and for what each has: their wordings, their plans, and who reads them."""
