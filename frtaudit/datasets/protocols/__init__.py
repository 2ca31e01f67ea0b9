"""Protocols: which comparisons are made.

One plug-in per file, imported when a spec names it (:mod:`frtaudit.config.plugins`).
"""
