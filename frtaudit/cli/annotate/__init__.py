"""``frtaudit label``: label faces in the browser: which of them show the person they were searched for."""
