// Search in the note; hits are highlighted without changing the text.

import {highlight} from "./textview.js";

const MOST = 500;

export class Search {
  constructor(input, hits, view, select) {
    this.input = input;
    this.hits = hits;
    this.view = view;
    this.select = select;
    input.addEventListener("input", () => this.find());
    input.addEventListener("keydown", event => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") this.clear();
      else return;
      event.preventDefault();
    });
  }

  take(note) {
    this.note = note;
    this.find();
  }

  find() {
    const wanted = this.input.value;
    this.places = [];
    this.at = -1;
    if (wanted.trim()) {
      const pattern = new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
      for (const match of this.note.text.matchAll(pattern)) {
        this.places.push({start: match.index, end: match.index + match[0].length});
        if (this.places.length === MOST) break;
      }
    }
    const more = this.places.length === MOST ? " or more" : "";
    this.hits.textContent = wanted.trim() ? `${this.places.length}${more} found` : "";
    highlight("found", this.places.map(({start, end}) => this.view.rangeOf(start, end)));
  }

  next(direction) {
    if (!this.places.length) return;
    this.at = (this.at + direction + this.places.length) % this.places.length;
    this.select(this.places[this.at]);
    this.hits.textContent = `${this.at + 1} of ${this.places.length}`;
    this.input.focus();
  }

  clear() {
    this.input.value = "";
    this.find();
    this.input.blur();
    document.getElementById("text").focus({preventScroll: true});
  }
}
