"""How values look in a terminal and in a notebook: imported when one is shown, not with the values."""
