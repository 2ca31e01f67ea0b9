"""Folders as others laid them out: recognised, read, checked, and written in the layout that audits read."""
