"""Formats of other programs that a finished run can be written in.

One plug-in per file, imported when a spec names it (:mod:`frtaudit.config.plugins`).
"""
