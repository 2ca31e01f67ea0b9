"""Where images come from: one file each.

One plug-in per file, imported when a spec names it (:mod:`frtaudit.config.plugins`).
"""
