"""How services and sources are called: what they offer, what stands before a call, and images that are safe to open."""
