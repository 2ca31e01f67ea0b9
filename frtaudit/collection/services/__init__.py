"""Services under test: real requests and answers, one file each.

One plug-in per file, imported when a spec names it (:mod:`frtaudit.config.plugins`).
"""
