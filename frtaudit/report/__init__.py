"""The report: HTML and PDF, renderings of an AuditResult and of what the report says of itself. Nothing else is read."""
