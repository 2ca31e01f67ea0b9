"""Requirements: what must hold, judged on interval bounds."""
