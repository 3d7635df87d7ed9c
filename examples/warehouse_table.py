# %% [markdown]
# # A table of a warehouse
#
# A warehouse exports notes as a table, with the patient's id and name in columns beside the text.
# Before it is shared, names become other names, the same in all notes of a patient, and dates move
# by one number of days per patient, so that the days between visits stay.
#
# Needs `pip install "spacy_deid[tables]"`. All people are invented.

# %%
import secrets
import subprocess
from pathlib import Path

import pandas as pd

from spacy_deid import deidentify

FOLDER = Path("output/warehouse")
FOLDER.mkdir(parents=True, exist_ok=True)

visits = pd.DataFrame(
    [
        (1, "4711", "Orville Whitacre", "Mr. Whitacre was seen by Dr. Maria Lopez on 03/04/2067."),
        (2, "4711", "Orville Whitacre", "03/18/2067: ORVILLE feels better, Dr. Lopez agrees."),
        (3, "5208", "Minh Anh Tran", "Pt Tran, 34 yo, came on 03/04/2067. MRN 0052087."),
        (4, "5208", "Minh Anh Tran", "Called minh anh on 03/11/2067 at 555-0142."),
    ],
    columns=["visit", "mrn", "name", "note"],
)
visits

# %% [markdown]
# ## In pandas
#
# `known` says whom a note is about, so that "minh anh" is found, too. The key draws the surrogates
# and date shifts: with the same key, next month's export gets the same ones. Keep it as safe as the
# notes. The record number itself is not shared, only which notes have the same one.

# %%
key = secrets.token_hex(32)
redacted = deidentify(
    visits["note"],
    policy="surrogate",
    key=key,
    known=[
        {"PATIENT": [name], "MEDICALRECORD": [mrn]}
        for name, mrn in zip(visits["name"], visits["mrn"])
    ],
    patient_id=visits["mrn"],
)
shared = visits[["visit"]].assign(
    patient=pd.factorize(visits["mrn"])[0], note=[result.text for result in redacted]
)
shared.to_parquet(FOLDER / "shared.parquet")
print(*shared["note"], sep="\n")

# %% [markdown]
# A note that fails has no text, and stops no other; its `error` says why.

# %%
print("failed:", [result.error for result in redacted if result.error])

# %% [markdown]
# ## On the command line
#
# The same for a table of any size: it is streamed, and a stopped run continues with `--resume`.
# `--redact-columns` replaces what stands beside the texts, and `--known-from-record` makes it known
# data of the texts.

# %%
visits.to_csv(FOLDER / "visits.csv", index=False)
(FOLDER / "key.txt").write_text(key)
command = f"""
    spacy-deid redact {FOLDER}/visits.csv --out {FOLDER}/redacted --force
    --text-column note --id-column visit --patient-column mrn
    --redact-columns name=PATIENT,mrn=MEDICALRECORD --known-from-record
    --policy surrogate --key-file {FOLDER}/key.txt
"""
subprocess.run(command.split(), check=True)
by_command = pd.read_csv(FOLDER / "redacted" / "visits.csv", dtype=str)
print(by_command.to_string(index=False))

# %% [markdown]
# With one key, Python and the command line write the same notes:

# %%
assert list(by_command["note"]) == list(shared["note"])
