"""Distances between places, and journeys from one to another."""
