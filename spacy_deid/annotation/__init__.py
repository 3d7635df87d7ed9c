"""Annotations: PHI types, notes with PHI spans, and the candidates of detectors."""
