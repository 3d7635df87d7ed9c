"""What is annotated in a note: PHI types, notes with PHI spans, and the candidates of detectors."""
