// The keys, and the page that lists them.

const GROUPS = {
  "Step": [["n", "next", "next PHI"], ["p", "previous", "PHI before"],
    ["d", "doubtful", "next doubtful one"], ["j", "nextNote", "next note"],
    ["k", "previousNote", "note before"], ["/", "search", "search; Enter goes on"]],
  "Decide": [["Enter", "accept", "accept, or mark the selected text"], ["a", "accept", "accept"],
    ["x", "reject", "reject"], ["Delete", "reject", "reject"], ["A", "acceptAll", "accept all in the note"],
    ["e", "acceptSame", "mark all text like this"], ["E", "rejectSame", "reject all text like this"],
    ["t", "choose", "choose a type"]],
  "Select text": [["ArrowRight", "right", "next word"], ["ArrowLeft", "left", "word before"],
    ["ArrowDown", "down", "line below"], ["ArrowUp", "up", "line above"],
    ["Shift+ArrowRight", "extend", "one word more"], ["Shift+ArrowLeft", "shrink", "one word less"],
    ["Escape", "clear", "select nothing"]],
  "Move the ends of PHI": [[".", "endLater", "end: one word more"], [",", "endEarlier", "end: one word less"],
    ["<", "startEarlier", "start: one word more"], [">", "startLater", "start: one word less"]],
  "Note": [["u", "undo", "undo"], ["r", "redo", "redo"], ["Ctrl+z", "undo", "undo"],
    ["Ctrl+y", "redo", "redo"], ["Ctrl+Shift+Z", "redo", "redo"], ["c", "comment", "comment"],
    ["f", "finish", "finish"], ["o", "reopen", "open a finished note again"], ["?", "help", "these keys"]],
};

const SYMBOLS = {ArrowRight: "→", ArrowLeft: "←", ArrowDown: "↓", ArrowUp: "↑", Enter: "↵"};

/** Calls actions on keys, as long as keys are wanted. */
export function makeKeys(actions, wanted) {
  const table = new Map(Object.values(GROUPS).flat().map(([key, name]) => [key, name]));
  drawHelp();
  document.addEventListener("keydown", event => {
    if (event.target.matches("textarea") && event.key === "Escape") return event.target.blur();
    if (event.target.matches("input, textarea, select") || !wanted()) return;
    if (event.target.matches("button") && event.key === "Enter") return;
    const command = event.ctrlKey || event.metaKey;
    if (event.altKey) return;
    if (!command && /^[1-9]$/.test(event.key)) return run(event, () => actions.quick(Number(event.key)));
    const name = table.get(nameOf(event, command));
    if (name) run(event, () => actions[name]());
  });
}

function nameOf(event, command) {
  const shift = event.shiftKey && (command || event.key.startsWith("Arrow"));
  return `${command ? "Ctrl+" : ""}${shift ? "Shift+" : ""}${event.key}`;
}

function run(event, action) {
  event.preventDefault();
  action();
}

function drawHelp() {
  const help = document.getElementById("help");
  const columns = document.createElement("div");
  columns.className = "keys";
  for (const [title, keys] of Object.entries({...GROUPS})) {
    const section = document.createElement("section");
    const head = document.createElement("h3");
    head.textContent = title;
    section.append(head);
    const rows = title === "Decide" ? [...keys, ["1 … 9", "", "the types in the panel"]] : keys;
    for (const [key, , what] of rows) {
      const row = document.createElement("p"), sign = document.createElement("kbd");
      sign.textContent = key.replace(/Arrow\w+|Enter/, name => SYMBOLS[name]);
      row.append(sign, what);
      section.append(row);
    }
    columns.append(section);
  }
  const close = document.createElement("button");
  close.textContent = "Close";
  close.addEventListener("click", () => help.close());
  help.replaceChildren(columns, close);
}
