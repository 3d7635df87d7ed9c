// The list of notes, with their states and the progress.

const byId = name => document.getElementById(name);
const SIGNS = {unread: "○", "in work": "◐", done: "●"};

export class List {
  constructor(notes, open) {
    this.notes = notes;
    this.open = open;
    this.root = byId("list");
    this.items = new Map(notes.map(note => [note.number, this.item(note)]));
    this.root.replaceChildren(...this.items.values());
    byId("filter").addEventListener("change", () => this.filter());
    this.draw();
  }

  item(note) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    for (const name of ["sign", "name", "more"]) {
      const part = document.createElement("span");
      part.className = name;
      button.append(part);
    }
    button.addEventListener("click", () => this.open(note.number));
    item.append(button);
    this.fill(item, note);
    return item;
  }

  fill(item, note) {
    const [sign, name, more] = item.firstChild.children;
    sign.textContent = SIGNS[note.state];
    sign.title = note.state;
    name.textContent = note.id;
    name.title = note.id;
    const minutes = note.seconds >= 30 ? ` · ${Math.round(note.seconds / 60)} min` : "";
    more.textContent = `${note.comment ? "✎ " : ""}${note.words.toLocaleString()} words${minutes}`;
    item.firstChild.ariaLabel = `${note.id}, ${note.state}, ${note.words} words`;
    item.dataset.state = note.state;
  }

  /** Takes over new values of a note. */
  set(number, values) {
    const note = this.notes.find(each => each.number === number);
    for (const name of ["state", "seconds", "comment"]) note[name] = values[name] ?? note[name];
    this.fill(this.items.get(number), note);
    this.draw();
  }

  draw() {
    const done = this.notes.filter(note => note.state === "done").length;
    byId("progress").max = this.notes.length || 1;
    byId("progress").value = done;
    byId("done").textContent = `${done} of ${this.notes.length} done`;
  }

  filter() {
    const wanted = byId("filter").value;
    for (const item of this.items.values()) item.hidden = Boolean(wanted) && item.dataset.state !== wanted;
  }

  current(number) {
    this.number = number;
    for (const [other, item] of this.items) {
      item.firstChild.ariaCurrent = other === number ? "true" : null;
    }
    this.items.get(number).scrollIntoView({block: "nearest"});
  }

  step(direction) {
    const shown = this.notes.filter(note => !this.items.get(note.number).hidden);
    const next = shown[shown.findIndex(note => note.number === this.number) + direction];
    if (next) this.open(next.number);
  }

  /** The number of the first note that is not done, after another or from the beginning. */
  nextOpen(number) {
    const open = this.notes.filter(note => note.state !== "done");
    return (open.find(note => note.number > number) ?? open[0])?.number;
  }

  foot(text) {
    const foot = document.createElement("p");
    foot.className = "foot muted";
    foot.textContent = text;
    this.root.after(foot);
  }
}
