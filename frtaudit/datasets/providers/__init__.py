"""Providers: who scores the comparisons.

One plug-in per file, imported when a spec names it (:mod:`frtaudit.config.plugins`).
"""
