"""Resampling plans, weights and kernels."""
