"""What stands in a user's files, read and checked: tables, templates, pair lists, score lists, thresholds."""
