"""``frtaudit label``: a page on this machine where a person says which faces show whom they were searched for."""
