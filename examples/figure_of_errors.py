# %% [markdown]
# # A figure of errors
#
# Which PHI does a model miss, and what does it take for PHI that is none? Overall scores hide that:
# a missed doctor and a missed profession count the same. Here is a figure by type, and a list to
# read.
#
# Needs `pip install "spacy_deid[plots]"`. The notes are invented and come with the project; for
# yours, exchange the path (any format of `spacy-deid convert`) and mind that the list is PHI.

# %%
from pathlib import Path

import spacy
from matplotlib.figure import Figure

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import read_notes
from spacy_deid.evaluation import analyze_errors

gold = list(read_notes(Path("benchmarks/blind_dev.jsonl")))
nlp = spacy.load("en_deid")
found = []
for note in gold:
    ents = nlp(note.text).ents
    spans = [PhiSpan(ent.start_char, ent.end_char, ent.label_) for ent in ents]
    found.append(Note(note.id, note.text, spans))
analysis = analyze_errors(gold, found)
print(f"{len(analysis.errors)} errors, {analysis.gold.total()} pieces of PHI in {len(gold)} notes")

# %% [markdown]
# ## By type
#
# What is missing leaks as a whole, and a wrong extent may leave half a name. The other errors leak
# nothing: they make notes harder to read.

# %%
KINDS = {
    "missing": ["missing"],
    "wrong extent": ["short", "long", "short-and-long", "type and extent"],
    "wrong type": ["type"],
    "spurious": ["spurious"],
}
COLORS = ["#D55E00", "#E69F00", "#56B4E9", "#BBBBBB"]

by_type = analysis.kinds_by_type()
types = sorted(by_type, key=lambda name: by_type[name].total())
figure = Figure(figsize=(7.5, 0.3 * len(types) + 1.2), layout="constrained")
axes = figure.subplots()
ends = [0] * len(types)
for (label, kinds), color in zip(KINDS.items(), COLORS):
    counts = [sum(by_type[name][kind] for kind in kinds) for name in types]
    axes.barh(types, counts, left=ends, color=color, label=label)
    ends = [end + count for end, count in zip(ends, counts)]
sizes = [f"{analysis.gold[name]} annotated" for name in types]
axes.bar_label(axes.containers[-1], sizes, padding=3)
axes.spines[["top", "right"]].set_visible(False)
axes.margins(x=0.2, y=0.02)
axes.xaxis.get_major_locator().set_params(integer=True)
axes.set(xlabel="errors", title="Errors of en_deid by type")
axes.legend(loc="lower right", frameon=False)

Path("output").mkdir(exist_ok=True)
figure.savefig("output/errors.png", dpi=150)
figure

# %% [markdown]
# ## What was missed
#
# Look for a pattern: a place that your templates always have, a kind of id, a staff list. What you
# can list, `--terms` finds; for the rest, see `spacy-deid review` and `adapt`.

# %%
texts = {note.id: note.text for note in gold}
for error in analysis.errors:
    if error.kind == "missing":
        text, (start, end) = texts[error.note_id], (error.gold.start, error.gold.end)
        context = f"{text[max(0, start - 30) : start]}[{text[start:end]}]{text[end : end + 30]}"
        print(f"{error.note_id:8} {error.gold.type:12} {' '.join(context.split())}")
