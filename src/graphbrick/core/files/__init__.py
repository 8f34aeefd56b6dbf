"""Files and folders: locks, downloads and atomic writing."""
