"""Files and folders: locks, downloads, and writing that is whole or absent."""
