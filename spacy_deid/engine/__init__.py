"""De-identification of texts, wherever they come from: shared by all entry points.

`loading` loads a pipeline, `search` finds the PHI of texts of any length, `work` replaces it, and
`pool` has other processes do that; `batches` divides the texts among them, `memory` gives back what
they used, and `gpu` chooses a GPU.
"""
