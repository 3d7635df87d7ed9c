// Talks to the server. Events are sent one after the other; one that fails is sent again.

const token = readToken();
let sending = Promise.resolve();
let waiting = 0;
let report = () => {};

function readToken() {
  if (location.hash.length > 1) {
    sessionStorage.setItem("token", location.hash.slice(1));
    history.replaceState(null, "", "/");
  }
  return sessionStorage.getItem("token") ?? "";
}

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const headers = {Authorization: `Bearer ${token}`, "Content-Type": "application/json"};
  const answer = await fetch(path, {...options, headers, cache: "no-store"});
  const body = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, body.error);
  return body;
}

export const getProject = () => ask("/api/project");
export const getNote = number => ask(`/api/notes/${number}`);

/** Calls back with "saved", "saving" or "failing" when that changes. */
export function onSaved(callback) {
  report = callback;
}

/** Sends an event of a note after all before it; the note keeps the number of its last event. */
export function send(note, event) {
  waiting++;
  report("saving");
  const sent = sending.then(() => keepTrying(note, event));
  sending = sent.catch(() => {}).finally(() => {
    waiting--;
    if (!waiting) report("saved");
  });
  return sent;
}

async function keepTrying(note, event) {
  for (;;) {
    try {
      const body = JSON.stringify({...event, last: note.last});
      const path = `/api/notes/${note.number}/events`;
      const answer = await ask(path, {method: "POST", body, keepalive: body.length < 60_000});
      note.last = answer.last;
      return answer;
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error;
      report("failing");
      await new Promise(resolve => setTimeout(resolve, 1500));
    }
  }
}

addEventListener("beforeunload", event => {
  if (waiting) event.preventDefault();
});
