"""What several analyses use."""
