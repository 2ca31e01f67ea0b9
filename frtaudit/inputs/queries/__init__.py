"""Faces of queries, what services and people said of them."""
