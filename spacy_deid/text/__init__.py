"""Text processing before detection: folding, tokens, sentences, sections and gazetteers."""
