"""Cohorts drawn from large sets of known truth, real ones and made ones."""
