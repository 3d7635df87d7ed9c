"""phi_crf: a linear-chain CRF over hand-crafted features of tokens or characters."""
