"""De-identification over HTTP: one model, loaded once, for clients in any language.

`settings` refuses unsafe ones, `guard` lets requests in and counts them, `routes` and `presidio`
answer them, and `engine` runs the model. Needs `pip install "spacy_deid[serve]"`.
"""
