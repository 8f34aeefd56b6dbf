"""Agents: a language model that walks over a graph with tools, and the tools."""
