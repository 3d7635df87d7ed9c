"""phi_tagger: the trainable neural detector, tok2vec to encoder to CRF."""
