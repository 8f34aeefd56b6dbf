"""Serving local models by llama.cpp."""
