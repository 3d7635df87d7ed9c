"""The registered parts of word embeddings: characters, identity and form."""
