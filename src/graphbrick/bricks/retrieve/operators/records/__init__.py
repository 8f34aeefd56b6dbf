"""Records at triples, such as notes and scores, and numbers of employees, as questions speak of them."""
