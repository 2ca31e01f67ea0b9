"""Systems compared with each other: one footing for all, what is measured on it, what the differences say."""
