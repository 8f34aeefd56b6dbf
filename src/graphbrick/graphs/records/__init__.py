"""Records that readers yield and builders take."""
