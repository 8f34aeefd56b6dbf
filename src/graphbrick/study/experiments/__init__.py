"""Whole experiments in one file: graphs, data sets with samples, pipelines with sweeps, and language models."""
