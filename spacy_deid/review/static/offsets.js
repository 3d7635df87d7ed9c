// Offsets: the server counts characters as Python does, the browser UTF-16 units; lines and words.

/** Conversions between code points and UTF-16 units in a text. */
export function offsetsOf(text) {
  if (!/[\ud800-\udbff]/.test(text)) return {toUnits: at => at, toPoints: at => at};
  const starts = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) starts.push(at);
  starts.push(text.length);
  return {toUnits: at => starts[at], toPoints: at => firstAtLeast(starts, at)};
}

/** The place of the first value that is not below a limit, in a sorted list. */
export function firstAtLeast(values, limit, of = value => value) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(values[middle]) < limit) low = middle + 1; else high = middle;
  }
  return low;
}

const LONGEST = 2000;

/** Lines with start and end, without the characters that end them; very long ones are cut. */
export function linesOf(text) {
  const lines = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push(...piecesOf(text, start, match.index));
    start = match.index + match[0].length;
  }
  return [...lines, ...piecesOf(text, start, text.length)];
}

function piecesOf(text, start, end) {
  const pieces = [];
  while (end - start > LONGEST) {
    const blank = text.lastIndexOf(" ", start + LONGEST) + 1;
    const cut = blank > start ? blank : start + LONGEST;
    pieces.push({start, end: cut});
    start = cut;
  }
  return [...pieces, {start, end}];
}

const WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu;

/** Start and end of all words and signs. */
export function wordsOf(text) {
  return [...text.matchAll(WORD)].map(match => [match.index, match.index + match[0].length]);
}

/** Start and end without white space at the ends; null if nothing is left. */
export function trim(text, start, end) {
  while (start < end && /\s/.test(text[start])) start++;
  while (end > start && /\s/.test(text[end - 1])) end--;
  return start < end ? {start, end} : null;
}

/** All places of a word or phrase that is no part of a longer word. */
export function placesOf(text, phrase) {
  const escaped = phrase.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const part = "[\\p{L}\\p{N}\\p{M}]";
  const before = /^[\p{L}\p{N}\p{M}]/u.test(phrase) ? `(?<!${part})` : "";
  const after = /[\p{L}\p{N}\p{M}]$/u.test(phrase) ? `(?!${part})` : "";
  return [...text.matchAll(new RegExp(before + escaped + after, "gu"))].map(match => match.index);
}
