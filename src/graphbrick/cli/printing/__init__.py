"""How each group of commands prints: tables for people, or the JSON that the library gives."""
