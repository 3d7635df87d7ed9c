"""phi_crf: a linear-chain CRF over hand-made features, of tokens or of characters."""
