"""Readers of known layouts, one a file: each recognises its layout by header and counts, never by a folder's name."""
