"""The text of a note: how it is read before anything is looked for in it."""
