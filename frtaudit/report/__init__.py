"""The report: HTML and PDF, made from an AuditResult and from what the report says of itself, nothing else."""

import logging

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it warns of a home that cannot be written
