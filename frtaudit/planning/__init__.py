"""What a cohort has to be for an audit to decide something: ``frtaudit plan``."""
