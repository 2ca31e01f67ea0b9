"""The report: HTML and PDF, made from an AuditResult and from what the report says of itself, nothing else."""
