// The panel beside the text: what is selected, and what can be done with it.

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function button(text, key, action, className = "") {
  const element = make("button", className, `${text} `, make("kbd", "", key));
  element.addEventListener("click", action);
  return element;
}

/** Draws the panel. */
export function drawPanel(root, {note, mark, target, quick, categories, actions}) {
  const parts = [];
  if (mark) parts.push(...ofMark(note, mark, actions));
  else if (target) parts.push(make("p", "quote", note.textOf(target)), make("p", "muted", "Choose a type to mark it."));
  else parts.push(make("p", "muted", "Select text to mark it, or step through the PHI with n and p."));
  if (target && note.stage !== "done") parts.push(types(mark, quick, categories, actions));
  if (mark && note.readings.length) parts.push(readings(note, mark, actions));
  root.replaceChildren(...parts);
}

function ofMark(note, mark, actions) {
  const score = note.score(mark);
  const state = mark.decided ? "Decided" : "To decide";
  const sure = score === null ? "" : ` · confidence ${Math.round(100 * score)}%`;
  const parts = [
    make("p", "quote", note.textOf(mark)),
    make("p", "kind", mark.type.toLowerCase(), make("span", "muted", ` · ${state}${sure}`)),
  ];
  if (note.stage === "done") return parts;
  const row = make("div", "row",
    button("Accept", "↵", actions.accept, "main"), button("Reject", "x", actions.reject));
  const same = make("div", "row",
    button("All like this", "e", actions.acceptSame), button("None", "E", actions.rejectSame));
  return [...parts, row, same];
}

function types(mark, quick, categories, actions) {
  const grid = make("div", "types");
  quick.forEach((type, at) => {
    const one = button(type.toLowerCase(), String(at + 1), () => actions.type(type), categories.get(type));
    one.ariaPressed = String(mark?.type === type);
    grid.append(one);
  });
  grid.append(button("other", "t", actions.choose));
  return grid;
}

function readings(note, mark, actions) {
  const section = make("div", "readings", make("h3", "", "What readers marked here"));
  for (const {reader, marks} of note.readings) {
    const found = marks.filter(other => other.start < mark.end && mark.start < other.end);
    const row = make("div", "reading", make("b", "", reader));
    if (!found.length) row.append(make("span", "muted", "nothing"));
    for (const other of found) {
      const use = make("button", "", `${other.type.toLowerCase()}: ${note.textOf(other)}`);
      use.addEventListener("click", () => actions.use(other));
      row.append(use);
    }
    section.append(row);
  }
  return section;
}
