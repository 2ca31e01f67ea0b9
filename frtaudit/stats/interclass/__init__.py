"""Distances between the curves of classes."""
