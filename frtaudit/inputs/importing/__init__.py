"""Folders in other layouts: recognised, read, checked, and written in the layout that audits read."""
