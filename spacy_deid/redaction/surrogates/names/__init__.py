"""Surrogates of persons: their names, user names and mail addresses."""
