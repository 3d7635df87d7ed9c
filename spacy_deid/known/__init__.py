"""phi_known: finds known patient and staff data in a note."""
