"""Analyses: one file each, over ``stats`` functions.

One plug-in per file, imported when a spec names it (:mod:`frtaudit.config.plugins`).
"""
