"""Typed frozen values as plain data and back."""
