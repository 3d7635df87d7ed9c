"""The parts of a word's embedding, each registered by itself: characters, identity and form."""
