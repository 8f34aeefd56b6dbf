"""Terminal output of each group of commands: tables for people, or the JSON that the library gives."""
