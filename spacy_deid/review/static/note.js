// A note: its text, its marks, and what was done to them. Offsets here are UTF-16 units.

import {firstAtLeast, linesOf, offsetsOf, placesOf, wordsOf} from "./offsets.js";

export class Note {
  constructor(view) {
    this.number = view.number;
    this.id = view.id;
    this.text = view.text;
    this.last = view.last;
    this.words = wordsOf(view.text);
    this.lines = linesOf(view.text);
    this.offsets = offsetsOf(view.text);
    this.update(view);
  }

  /** Takes over what the server says about the reading. */
  update(view) {
    const {toUnits} = this.offsets;
    const read = ([start, end, type, decided]) =>
      ({start: toUnits(start), end: toUnits(end), type, decided});
    this.stage = view.stage;
    this.blind = view.blind;
    this.comment = view.note;
    this.seconds = view.seconds;
    this.wordCount = view.words;
    this.last = view.last;
    this.marks = view.marks.map(read);
    this.readings = view.readings.map(({reader, marks}) => ({reader, marks: marks.map(read)}));
    this.scores = new Map(view.scores.map(([start, end, score]) =>
      [`${toUnits(start)}-${toUnits(end)}`, score]));
    this.undone = [];
    this.past = [];
    for (const edit of view.edits) {
      const change = {remove: edit.remove.map(read), add: edit.add.map(read)};
      if (edit.via === "undo") this.undone.push(this.past.pop());
      else if (edit.via === "redo") this.past.push(this.undone.pop());
      else this.past.push(change), this.undone = [];
    }
  }

  get open() {
    return this.marks.filter(mark => !mark.decided).length;
  }

  textOf({start, end}) {
    return this.text.slice(start, end);
  }

  score({start, end}) {
    return this.scores.get(`${start}-${end}`) ?? null;
  }

  isDoubtful(mark) {
    const score = this.score(mark);
    return !mark.decided && (score === null || score < 0.8);
  }

  /** The first mark that ends after an offset: its place. */
  placeAfter(offset) {
    return firstAtLeast(this.marks, offset + 1, mark => mark.end);
  }

  overlapping(start, end) {
    const found = [];
    for (let at = this.placeAfter(start); at < this.marks.length; at++) {
      if (this.marks[at].start >= end) break;
      found.push(this.marks[at]);
    }
    return found;
  }

  /** The change that makes a stretch PHI of a type, in place of all marks that it touches. */
  marking(start, end, type) {
    return {remove: this.overlapping(start, end), add: [{start, end, type, decided: true}]};
  }

  /** The change that decides on all text like a mark's, where no other mark has part of it. */
  everywhere(mark, keep) {
    const phrase = this.textOf(mark);
    const change = {remove: [], add: []};
    for (const start of placesOf(this.text, phrase)) {
      const end = start + phrase.length;
      const there = this.overlapping(start, end);
      if (there.some(other => other.start !== start || other.end !== end)) continue;
      if (keep && there.some(other => other.decided && other.type === mark.type)) continue;
      change.remove.push(...there);
      if (keep) change.add.push({start, end, type: mark.type, decided: true});
    }
    return change;
  }

  /** The change that moves an end of a mark by a word; null if that cannot be. */
  moving(mark, side, step) {
    const {start, end} = mark;
    const starts = this.words.map(word => word[0]), ends = this.words.map(word => word[1]);
    const moved = {...mark, decided: true};
    if (side === "end") {
      const next = step > 0 ? firstAtLeast(ends, end + 1) : firstAtLeast(ends, end) - 1;
      moved.end = ends[next];
    } else {
      const next = step < 0 ? firstAtLeast(starts, start) - 1 : firstAtLeast(starts, start + 1);
      moved.start = starts[next];
    }
    if (!(moved.start < moved.end)) return null;
    return {...this.marking(moved.start, moved.end, mark.type), focus: moved};
  }

  /** Applies a change; returns the marks that are affected. */
  apply({remove, add}) {
    const gone = new Set(remove.map(mark => `${mark.start}-${mark.end}`));
    this.marks = this.marks.filter(mark => !gone.has(`${mark.start}-${mark.end}`));
    this.marks.push(...add);
    this.marks.sort((one, other) => one.start - other.start);
    return [...remove, ...add];
  }

  /** A change as an event for the server. */
  event({remove, add}, via) {
    const {toPoints} = this.offsets;
    const row = ({start, end, type, decided}) =>
      [toPoints(start), toPoints(end), type, decided];
    return {kind: "edit", remove: remove.map(row), add: add.map(row), via};
  }
}

export const inverse = ({remove, add}) => ({remove: add, add: remove});
