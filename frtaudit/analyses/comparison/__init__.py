"""Systems compared with each other: a common support for all, what is measured on it, what the differences say."""
