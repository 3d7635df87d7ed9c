"""What the servers of `serve` and `review` share.

`settings` refuses unsafe ones, `guard` lets requests in and counts them (`usage`, `audit`),
`errors` are the refusals, and `run` is the process.
"""
