"""Identity labels without annotation, and what labels hide."""
