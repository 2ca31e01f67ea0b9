"""Non-mated scores beyond the data: peaks over threshold."""
