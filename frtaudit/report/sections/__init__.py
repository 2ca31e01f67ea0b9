"""What each section of the report says: one module for each template of ``templates/sections``."""
