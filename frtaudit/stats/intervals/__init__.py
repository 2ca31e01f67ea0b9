"""Intervals for rates and means."""
