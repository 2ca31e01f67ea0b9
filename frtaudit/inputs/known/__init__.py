"""Readers of known layouts, one a file: each recognises its own by header and counts, never by a folder's name."""
