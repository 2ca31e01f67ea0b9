"""The report: HTML and PDF, made from an AuditResult and from what the report says of itself, nothing else."""

import logging

logging.getLogger("matplotlib").setLevel(
    logging.ERROR
)  # a home that cannot be written is no matter to a report
