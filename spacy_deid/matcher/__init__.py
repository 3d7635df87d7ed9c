"""phi_matcher: rule-based detection. The rules are in `patterns`, one module per kind."""
