// The review page: one note at a time, everything by keyboard or mouse.

import {List} from "./list.js";
import {Note, inverse} from "./note.js";
import {trim} from "./offsets.js";
import {Palette} from "./palette.js";
import {drawPanel} from "./panel.js";
import {Search} from "./search.js";
import {Refused, getNote, getProject, onSaved, send} from "./server.js";
import {TextView, highlight} from "./textview.js";
import {makeKeys} from "./keys.js";

const QUICK = ["PATIENT", "DOCTOR", "DATE", "HOSPITAL", "PHONE", "MEDICALRECORD", "AGE", "CITY", "STREET"];
const IDLE = 60_000;
const byId = name => document.getElementById(name);

const categories = new Map();
let note = null; // the note that is shown
let at = null; // the mark that is selected
let cursor = 0; // where the last selection began
let lastType = QUICK[0];
let active = {since: Date.now(), last: Date.now(), spent: 0};
let view, list, palette, search, adjudicating = false;

async function start() {
  const project = await getProject();
  adjudicating = project.adjudicating;
  for (const [category, types] of Object.entries(project.types)) {
    for (const type of types) categories.set(type, category);
  }
  for (const [category, color] of Object.entries(project.colors)) {
    document.documentElement.style.setProperty(`--${category}`, color);
  }
  byId("reader").textContent = adjudicating ? `${project.reader}, adjudicating` : project.reader;
  document.title = adjudicating ? "Adjudication" : "Review";
  document.querySelector("h1").textContent = document.title;
  view = new TextView(byId("text"), type => categories.get(type) ?? "OTHER");
  palette = new Palette([...categories].map(([type, category]) =>
    [type, category, QUICK.includes(type) ? String(QUICK.indexOf(type) + 1) : ""]));
  search = new Search(byId("search"), byId("hits"), view, selectText);
  list = new List(project.notes, open);
  onSaved(showSaved);
  makeKeys(actions, () => note && !palette.isOpen && !byId("help").open);
  listen();
  if (adjudicating) showAgreement(project.agreement);
  const first = project.notes.find(each => each.state !== "done") ?? project.notes[0];
  if (first) await open(first.number);
  else showNotice(adjudicating ? "No note is disputed." : "There are no notes.");
}

/** Opens a note; the time on the one before is stored. */
async function open(number) {
  stopClock();
  note = new Note(await getNote(number));
  at = null;
  cursor = 0;
  list.current(number);
  view.show(note);
  search.take(note);
  active = {since: Date.now(), last: Date.now(), spent: 0};
  drawNote();
  const first = note.marks.find(mark => !mark.decided) ?? note.marks[0];
  if (first && note.stage !== "done") focusMark(first);
  byId("text").focus({preventScroll: true});
}

function drawNote() {
  byId("title").textContent = note.id;
  byId("comment").value = note.comment;
  byId("text").classList.toggle("done", note.stage === "done");
  showNotice(noticeFor(note));
  drawFacts();
}

function noticeFor({stage, blind, open: left}) {
  if (stage === "done") return "This note is done. Press o to open it again.";
  if (stage === "second") return left
    ? `Second look: ${left} detections that you did not mark. Decide on each, then finish again.`
    : "Second look: everything is decided. Finish again.";
  if (blind) return "Nothing is marked in this note: mark all PHI yourself. Detections follow when you finish.";
  return "";
}

function showNotice(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = !text;
}

function drawFacts() {
  const {open: left, marks, stage, wordCount} = note;
  const open = stage === "done" || !marks.length ? "" : left ? ` · ${left} to decide` : " · all decided";
  byId("facts").textContent = `${wordCount.toLocaleString()} words · ${marks.length} PHI${open}`;
  byId("finish").hidden = stage === "done";
  byId("finish").classList.toggle("ready", !left);
  if (stage === "second") showNotice(noticeFor(note));
  const target = at ?? view.selection();
  drawPanel(byId("panel"), {note, mark: at, target, quick: QUICK, categories, actions});
}

function showSaved(state) {
  const texts = {saved: "Saved", saving: "Saving…", failing: "Not saved: the server does not answer"};
  byId("saved").textContent = texts[state];
  byId("saved").className = state === "failing" ? "alarm" : "muted";
}

function showAgreement(pairs) {
  const texts = pairs.map(({readers, notes, strict, kappa}) =>
    `${readers.join(" and ")}: ${notes} notes, F1 ${strict.toFixed(3)}, kappa ${kappa.toFixed(3)}`);
  if (texts.length) list.foot(`Agreement before adjudication. ${texts.join("; ")}`);
}

const say = text => { byId("live").textContent = text; };

// Time: seconds in which something was done, with pauses of up to a minute.

function tick() {
  const now = Date.now();
  if (now - active.last < IDLE && !document.hidden) active.spent += now - active.last;
  active.last = now;
}

function takeSeconds() {
  tick();
  const seconds = Math.min(3600, Math.round(active.spent / 100) / 10);
  active.spent = 0;
  return seconds;
}

function stopClock() {
  if (!note) return;
  const seconds = takeSeconds();
  if (seconds >= 1) store({kind: "time", seconds});
}

async function store(event) {
  const target = note;
  try {
    return await send(target, {seconds: takeSeconds(), ...event});
  } catch (error) {
    fail(error, target);
    return null;
  }
}

async function fail(error, target = note) {
  if (!(error instanceof Refused)) throw error;
  if (error.status === 401) showNotice("This page is no longer valid: open the address that the command printed.");
  else if (error.status === 409 && target) {
    const message = error.message;
    if (target === note) await open(note.number);
    showNotice(`${message[0].toUpperCase()}${message.slice(1)}. This is the note as it is stored.`);
  } else showNotice(error.message);
}

// Marks

function focusMark(mark, options) {
  at = mark;
  if (mark) cursor = mark.start;
  if (mark) getSelection().removeAllRanges();
  view.focus(mark, options);
  drawFacts();
  if (!mark) return;
  const score = note.score(mark);
  const sure = mark.decided ? "decided" : score === null ? "to decide" : `to decide, confidence ${Math.round(100 * score)} percent`;
  say(`${mark.type}, ${note.textOf(mark)}, ${sure}`);
}

function selectText(place) {
  focusMark(null);
  cursor = place.start;
  view.select(place);
  drawFacts();
  say(note.textOf(place));
}

function change(delta, {via = "", focus} = {}) {
  if (!delta || note.stage === "done" || !(delta.remove.length || delta.add.length)) return;
  if (via === "undo") note.undone.push(note.past.pop());
  else if (via === "redo") note.past.push(note.undone.pop());
  else note.past.push(delta), note.undone = [];
  const shown = via === "undo" ? inverse(delta) : delta;
  const next = focus === undefined ? shown.add[0] ?? null : focus;
  view.refresh(note.apply(shown));
  store(note.event(shown, via));
  list.set(note.number, {state: "in work"});
  focusMark(next && note.marks.find(mark => mark.start === next.start && mark.end === next.end) || null);
}

function step(direction, accepts = () => true) {
  const {marks} = note;
  const from = at ? marks.indexOf(at) : cursorPlace(direction);
  for (let place = from + direction; place >= 0 && place < marks.length; place += direction) {
    if (accepts(marks[place])) return focusMark(marks[place]);
  }
  say("No more");
}

function cursorPlace(direction) {
  const selected = view.selection();
  const place = selected ? note.placeAfter(selected.start) : direction > 0 ? 0 : note.marks.length;
  return direction > 0 ? place - 1 : place;
}

function decide(delta) {
  const from = at.start;
  change(delta, {focus: null});
  const next = note.marks.find(mark => !mark.decided && mark.start >= from)
    ?? note.marks.find(mark => !mark.decided);
  if (next) focusMark(next);
  else say("Everything is decided. Press f to finish.");
}

function setType(type) {
  const target = at ?? view.selection();
  if (!target || !type) return;
  const place = trim(note.text, target.start, target.end);
  if (!place) return;
  lastType = type;
  getSelection().removeAllRanges();
  change(note.marking(place.start, place.end, type));
  byId("text").focus({preventScroll: true});
}

function choose() {
  const target = at ?? view.selection();
  if (!target || note.stage === "done") return;
  const box = at ? view.elementsOf(at)[0].getBoundingClientRect()
    : getSelection().getRangeAt(0).getBoundingClientRect();
  const kept = {...target};
  highlight("pending", at ? [] : [view.rangeOf(kept.start, kept.end)]);
  palette.open(box, at ? at.type : likelyType(target), type => {
    highlight("pending", []);
    if (!at) view.select(kept);
    byId("text").focus({preventScroll: true});
    setType(type);
  });
}

function likelyType(target) {
  const same = note.marks.find(mark => note.textOf(mark) === note.textOf(target));
  return same ? same.type : lastType;
}

/** Moves a cursor of one word over the text, or extends the selection by a word. */
function move(words, extend) {
  const selected = view.selection() ?? at;
  const from = selected ?? {start: cursor, end: cursor};
  let first = note.words.findIndex(([, end]) => end > from.start);
  let last = note.words.findLastIndex(([start]) => start < from.end);
  if (first < 0) first = note.words.length - 1;
  if (last < first) last = first;
  if (extend) last = Math.max(first, last + words);
  else if (selected) first = last = Math.max(0, Math.min(note.words.length - 1, words > 0 ? last + words : first + words));
  last = Math.min(last, note.words.length - 1);
  if (note.words.length) selectText({start: note.words[first][0], end: note.words[last][1]});
}

/** Moves the cursor to the word above or below. */
function moveLine(direction) {
  const from = view.selection() ?? at ?? {start: cursor};
  const number = view.lineAt(from.start);
  const column = from.start - note.lines[number].start;
  for (let to = number + direction; note.lines[to]; to += direction) {
    const {start, end} = note.lines[to];
    const words = note.words.filter(([from, till]) => from >= start && till <= end);
    const word = words.findLast(([from]) => from <= start + column) ?? words[0];
    if (word) return selectText({start: word[0], end: word[1]});
  }
}

function bound(side, by) {
  if (!at) return;
  const moved = note.moving(at, side, by);
  if (moved) change(moved, {focus: moved.focus});
}

async function finish() {
  if (note.stage === "done") return;
  if (note.open) {
    focusMark(note.marks.find(mark => !mark.decided));
    showNotice(`${note.open} detections are not decided yet. A accepts all of them.`);
    return;
  }
  const answer = await store({kind: "done"});
  if (!answer) return;
  note.update(answer);
  list.set(note.number, answer);
  if (note.stage === "done") {
    say("Done");
    const next = list.nextOpen(note.number);
    if (next) return open(next);
  }
  view.show(note);
  drawNote();
  const left = note.marks.find(mark => !mark.decided);
  if (left) focusMark(left);
  say(byId("notice").textContent);
}

async function reopen() {
  if (note.stage !== "done") return;
  const answer = await store({kind: "reopen"});
  if (!answer) return;
  note.update(answer);
  list.set(note.number, answer);
  drawNote();
}

const actions = {
  next: () => step(1),
  previous: () => step(-1),
  doubtful: () => step(1, mark => note.isDoubtful(mark)),
  accept: () => at ? decide({remove: [at], add: [{...at, decided: true}]}) : choose(),
  reject: () => at && decide({remove: [at], add: []}),
  acceptAll: () => {
    const open = note.marks.filter(mark => !mark.decided);
    change({remove: open, add: open.map(mark => ({...mark, decided: true}))}, {focus: at});
  },
  acceptSame: () => at && change(note.everywhere(at, true), {focus: at}),
  rejectSame: () => at && decide(note.everywhere(at, false)),
  choose,
  type: type => setType(type),
  quick: digit => setType(QUICK[digit - 1]),
  undo: () => note.past.length && change(note.past.at(-1), {via: "undo"}),
  redo: () => note.undone.length && change(note.undone.at(-1), {via: "redo"}),
  right: () => move(1), left: () => move(-1),
  extend: () => move(1, true), shrink: () => move(-1, true),
  up: () => moveLine(-1), down: () => moveLine(1),
  endLater: () => bound("end", 1), endEarlier: () => bound("end", -1),
  startEarlier: () => bound("start", -1), startLater: () => bound("start", 1),
  nextNote: () => list.step(1), previousNote: () => list.step(-1),
  finish, reopen,
  search: () => byId("search").focus(),
  comment: () => byId("comment").focus(),
  help: () => byId("help").showModal(),
  use: mark => change(note.marking(mark.start, mark.end, mark.type)),
  clear: () => { getSelection().removeAllRanges(); focusMark(null); },
};

function listen() {
  const text = byId("text");
  text.addEventListener("mouseup", event => setTimeout(() => {
    if (event.button !== 0) return;
    const selected = view.selection();
    if (selected) {
      const place = trim(note.text, selected.start, selected.end);
      if (place) selectText(place), choose();
      return;
    }
    const element = event.target.closest(".phi");
    const start = Number(element?.dataset.start);
    focusMark(element ? note.marks.find(mark => mark.start === start) : null, {scroll: false});
  }));
  byId("finish").addEventListener("click", finish);
  byId("help-button").addEventListener("click", actions.help);
  byId("comment").addEventListener("change", event => {
    note.comment = event.target.value;
    store({kind: "comment", text: note.comment});
    list.set(note.number, {comment: Boolean(note.comment)});
  });
  for (const kind of ["keydown", "mousemove", "wheel"]) addEventListener(kind, tick, {passive: true});
  document.addEventListener("visibilitychange", () => document.hidden ? stopClock() : tick());
}

start().catch(error => fail(error, null));
