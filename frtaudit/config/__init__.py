"""From Hydra to a typed spec; with cli/ the only place that knows Hydra."""
