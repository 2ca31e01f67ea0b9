"""Identities without annotation: labels from the services' own scores, and their effect on rates (Knott et al.)."""
