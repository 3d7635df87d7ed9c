"""Surrogates of dates and ages."""
