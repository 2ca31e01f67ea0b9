"""Thresholds that come from elsewhere: recommended by vendors, shipped by libraries, of a file."""
