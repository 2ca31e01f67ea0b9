"""Several systems, drift, and multiple testing."""
