"""Scores of all pairs, and the tail that is kept."""
