"""Differentials between groups, their tests and bounds."""
