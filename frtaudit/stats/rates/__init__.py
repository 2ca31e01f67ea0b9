"""Rates, thresholds and errors."""
