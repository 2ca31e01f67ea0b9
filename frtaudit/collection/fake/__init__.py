"""Made-up services on this machine that speak as the real ones do (``frtaudit serve-fake``)."""
