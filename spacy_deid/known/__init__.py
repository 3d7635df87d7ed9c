"""phi_known: finds in a note what its record says of the patient and the staff."""
