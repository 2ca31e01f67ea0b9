"""Names and numbers as text: how they are printed, quoted, and made file names."""
