"""Labels by people: drawing what they label, the page, the file, and how two people agree."""
