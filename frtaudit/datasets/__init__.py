"""Who is tested: cohorts, protocols and providers."""
