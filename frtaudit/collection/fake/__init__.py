"""Synthetic services on this machine with the wire formats of the real ones (``frtaudit serve-fake``)."""
