"""What each section of the report says: a module for each; most share ``templates/section.html.j2``."""
