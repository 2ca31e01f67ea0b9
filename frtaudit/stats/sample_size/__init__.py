"""Sample sizes and power."""
