"""Who is who without annotation: labels from the services' own scores, and what they cost (Knott et al.)."""
