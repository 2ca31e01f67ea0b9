"""Statistics: arrays in, arrays out. NumPy, SciPy, statsmodels and Numba only; no files, no specs, no reports."""
