"""De-identification over HTTP: one model, loaded once, for clients in any language.

`settings` refuses unsafe ones, `guard` lets requests in and counts them, `routes`, `fhir` and
`presidio` answer them, and `engine` runs the model. `job_routes` takes files, and `jobs` has them
redacted in another process. Needs `pip install "spacy_deid[serve]"`.
"""
