"""What finds the faces that ``frtaudit embed`` makes templates of, one file each.

One plug-in per file, imported when a spec names it (:mod:`frtaudit.config.plugins`).
"""
