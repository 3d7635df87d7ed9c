"""Adapt a trained pipeline to reviewed notes: fine-tune it, choose its threshold, measure the gain.

`split` splits the notes, and keeps a model from being proven on what it learned from;
`training_notes` mixes them with replayed synthetic notes, `tune` trains, `gain` compares before and
after, and `adaptation` does all of this.
"""
