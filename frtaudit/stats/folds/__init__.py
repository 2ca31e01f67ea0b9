"""Folds and k-fold accuracy."""
