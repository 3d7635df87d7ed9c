"""De-identification over HTTP: one model, loaded once, for clients in any language.

`routes`, `fhir`, `presidio` and `annotation` answer requests, and `engine` runs the model.
`job_routes` takes files, and `jobs` has them redacted in another process. The guard before them is
in `spacy_deid.http`. Needs `pip install "spacy_deid[serve]"`.
"""
