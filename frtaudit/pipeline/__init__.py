"""From a spec to a run folder; start with audit.py."""
