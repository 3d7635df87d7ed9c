# %% [markdown]
# # Train on the i2b2 corpus
#
# Papers compare themselves on the i2b2 2014 corpus, which n2c2 hands out. Here is what to do with
# it, on a synthetic corpus of the same form, and with so few steps that it takes a minute. For the
# real thing, put the folders of your copy into `CORPUS`, and leave out the options `--training`.
#
# Needs the extra `train`.

# %%
import json
import subprocess
from pathlib import Path

import spacy

CORPUS, WORK = Path("output/i2b2/corpus"), Path("output/i2b2")


def run(command: str) -> None:
    subprocess.run(command.split(), check=True)


if not CORPUS.exists():
    run(f"spacy-deid synthesize {CORPUS}/training --set train --notes 60 --seed 1")
    run(f"spacy-deid synthesize {CORPUS}/testing --set test --notes 10 --seed 1")
print(next(CORPUS.glob("testing/*.xml")).read_text("utf-8")[-600:])

# %% [markdown]
# ## Convert
#
# i2b2 XML becomes spaCy's DocBin. A tenth of the training patients, always the same, is set apart
# to choose the best step by. `spacy-deid convert` does it for a single folder.

# %%
run(f"python scripts/i2b2_corpus.py {CORPUS} {WORK}/docs")

# %% [markdown]
# ## Train
#
# This fine-tunes the installed `en_deid`, and the last line says what it gained: little here, as it
# has learned from synthetic notes before. To train from scratch, take `configs/en_deid.cfg`, or a
# system of the literature beside it; that needs thousands of steps.

# %%
run(
    f"python -m spacy train configs/en_deid_tune.cfg --output {WORK}/training"
    f" --paths.train {WORK}/docs/train.spacy --paths.dev {WORK}/docs/dev.spacy"
    " --training.max_steps 10 --training.eval_frequency 10"
)

# %% [markdown]
# ## Evaluate
#
# As the i2b2 2014 evaluation does, on patients that the model has not seen. Binary scores ask only
# whether PHI was found, whatever its type. `--report` writes all tables and figures to a page.

# %%
run(
    f"spacy-deid evaluate {WORK}/docs/test.spacy {WORK}/training/model-best"
    f" --json {WORK}/scores.json --resamples 0"
)
scores = json.loads((WORK / "scores.json").read_text())
print(scores["token"]["i2b2"]["binary"]["micro"])

# %% [markdown]
# ## Use it

# %%
nlp = spacy.load(WORK / "training" / "model-best")
doc = nlp("Seen by Dr. Maria Lopez on 03/04/2067. MRN: 00418820.")
print([(ent.text, ent.label_) for ent in doc.ents])
