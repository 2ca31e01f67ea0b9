"""The figures: each function draws from values and returns inline SVG."""
