"""phi_matcher: PHI by rule. The rules are data in `patterns`, one module for each PHI category."""
