"""Evidence: keys, statements, PDF signatures, and what checks them (DESIGN 8)."""
