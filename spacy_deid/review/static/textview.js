// The text of a note on the page: one element per line, marks inside.

import {firstAtLeast} from "./offsets.js";

const LINES_IN_BLOCK = 40;

/** Highlights ranges without changing the page, where the browser can. */
export function highlight(name, ranges) {
  if (!CSS.highlights) return;
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}

export class TextView {
  constructor(root, categoryOf) {
    this.root = root;
    this.categoryOf = categoryOf;
    this.observer = new IntersectionObserver(entries => {
      for (const {target, isIntersecting} of entries) target.classList.toggle("near", isIntersecting);
    }, {root, rootMargin: "50% 0px"});
  }

  show(note) {
    this.note = note;
    this.elements = note.lines.map((line, number) => {
      const element = document.createElement("div");
      element.className = "line";
      element.dataset.line = number;
      this.fill(element, line);
      return element;
    });
    this.observer.disconnect();
    const blocks = [];
    for (let at = 0; at < this.elements.length; at += LINES_IN_BLOCK) {
      const block = document.createElement("div");
      block.className = "block";
      block.append(...this.elements.slice(at, at + LINES_IN_BLOCK));
      blocks.push(block);
      this.observer.observe(block);
    }
    this.root.replaceChildren(...blocks);
    this.root.scrollTop = 0;
  }

  fill(element, {start, end}) {
    const {note} = this, parts = [];
    let at = start;
    for (const mark of note.overlapping(start, end)) {
      const from = Math.max(mark.start, start), to = Math.min(mark.end, end);
      if (from > at) parts.push(note.text.slice(at, from));
      parts.push(this.markElement(mark, from, to));
      at = to;
    }
    if (end > at) parts.push(note.text.slice(at, end));
    element.replaceChildren(...parts);
  }

  markElement(mark, from, to) {
    const element = document.createElement("mark");
    element.className = `phi ${this.categoryOf(mark.type)} ${mark.decided ? "sure" : "open"}`;
    element.dataset.start = mark.start;
    element.tabIndex = -1;
    element.textContent = this.note.text.slice(from, to);
    if (to === mark.end) element.dataset.label = mark.type;
    return element;
  }

  /** Draws the lines again that marks are in. */
  refresh(marks) {
    const numbers = new Set();
    for (const mark of marks) {
      for (let at = this.lineAt(mark.start); at <= this.lineAt(mark.end - 1); at++) numbers.add(at);
    }
    for (const number of numbers) this.fill(this.elements[number], this.note.lines[number]);
  }

  lineAt(offset) {
    return Math.max(0, firstAtLeast(this.note.lines, offset + 1, line => line.start) - 1);
  }

  /** The elements of a mark. */
  elementsOf(mark) {
    const found = [];
    for (let at = this.lineAt(mark.start); at <= this.lineAt(mark.end - 1); at++) {
      found.push(...this.elements[at].querySelectorAll(`[data-start="${mark.start}"]`));
    }
    return found;
  }

  /** Shows which mark is selected, and brings it into view. */
  focus(mark, {scroll = true} = {}) {
    for (const element of this.root.querySelectorAll(".phi.at")) element.classList.remove("at");
    if (!mark) return;
    const elements = this.elementsOf(mark);
    for (const element of elements) element.classList.add("at");
    if (scroll) this.reveal(elements[0]);
  }

  /** Scrolls only if an element is outside the middle of the view. */
  reveal(element) {
    if (!element) return;
    const view = this.root.getBoundingClientRect();
    let box = element.getBoundingClientRect();
    if (box.top >= view.top + 60 && box.bottom <= view.bottom - 90) return;
    element.scrollIntoView({block: "center"});
    box = element.getBoundingClientRect(); // blocks that come into view get their true height
    if (box.top < view.top || box.bottom > view.bottom) element.scrollIntoView({block: "center"});
  }

  /** The selected text as offsets; null if none is selected in the note. */
  selection() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!this.root.contains(range.startContainer) || !this.root.contains(range.endContainer)) {
      return null;
    }
    const start = this.offsetAt(range.startContainer, range.startOffset);
    const end = this.offsetAt(range.endContainer, range.endOffset);
    return start < end ? {start, end} : null;
  }

  offsetAt(node, offset) {
    const element = (node.nodeType === Node.TEXT_NODE ? node.parentNode : node).closest(".line");
    if (!element) { // between lines
      const next = node.childNodes[offset]?.querySelector?.(".line") ?? node.childNodes[offset];
      const number = next?.dataset?.line;
      return number === undefined ? this.note.text.length : this.note.lines[number].start;
    }
    const range = document.createRange();
    range.setStart(element, 0);
    range.setEnd(node, offset);
    return this.note.lines[element.dataset.line].start + range.toString().length;
  }

  /** Selects a stretch of text, and brings it into view. */
  select({start, end}) {
    const range = this.rangeOf(start, end);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    this.reveal(this.elements[this.lineAt(start)]);
    return range;
  }

  rangeOf(start, end) {
    const range = document.createRange();
    range.setStart(...this.pointAt(start));
    range.setEnd(...this.pointAt(end - 1, 1));
    return range;
  }

  pointAt(offset, after = 0) {
    const number = this.lineAt(offset);
    let left = offset - this.note.lines[number].start;
    const walker = document.createTreeWalker(this.elements[number], NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left < node.length) return [node, left + after];
      left -= node.length;
    }
    return [this.elements[number], this.elements[number].childNodes.length];
  }
}
