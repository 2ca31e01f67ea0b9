"""Cohort sources: who is tested, read from files or drawn.

One plug-in per file, imported when a spec names it (:mod:`frtaudit.config.plugins`).
"""
