'use strict';
// Requests to the program. Each kind has at most one request on its way, and the newest question wins.

// A number of this window, so that two windows do not overtake each other's requests.
const WINDOW = crypto.getRandomValues(new Uint32Array(3)).join('-');
// If a newer question waits, a request is canceled after so many milliseconds. The program then ends its work.
const PATIENCE = 150;
let turn = 0;

class Channel {
  // `take` gets an answer, its question and the time at which a person asked; `fail` what is wrong instead. `place` is
  // the identifier of the part of the page that shows the answer.
  constructor(path, take, fail, place) {
    Object.assign(this, { path, take, fail, place, waiting: null, flight: null });
  }

  // Marks what the page shows as that of an earlier question, or of this one.
  mark(isEarlier) {
    if (this.place) element(this.place).setAttribute('aria-busy', isEarlier);
  }

  ask(question, since = performance.now()) {
    this.waiting = { question, since };
    if (!this.flight) { this.send(); return; }
    const { control, began } = this.flight;
    setTimeout(() => {
      if (this.waiting && this.flight?.control === control) control.abort();
    }, Math.max(PATIENCE - (performance.now() - began), 0));
  }

  // Cancels the request, and removes the question that waits.
  drop() {
    this.waiting = null;
    this.flight?.control.abort();
  }

  async send() {
    const { question, since } = this.waiting;
    this.waiting = null;
    const control = new AbortController();
    this.flight = { control, began: performance.now() };
    const { status, answer } = await post(this.path, question, control.signal);
    this.flight = null;
    if (status === 0) {
      this.waiting ??= { question, since };
      connection.lost();
      return;
    }
    if (status !== 409) {
      this.mark(!isSame(question, page.question));
      if (status === 200) this.take(answer, question, since); else this.fail(answer, question);
    }
    if (this.waiting && !this.flight) this.send();
  }
}

// Sends a question. The status is 0 if there is no program at the address, and 409 if the request is canceled.
async function post(path, question, signal) {
  let reply;
  try {
    reply = await fetch(path, {
      method: 'POST', signal, body: JSON.stringify(question), cache: 'no-store',
      headers: { 'Content-Type': 'application/json', 'X-Play-Window': WINDOW, 'X-Play-Turn': String(++turn) },
    });
    // Another program answers at the address: its secret is another one.
    if (reply.status === 403 || reply.status === 404) return { status: 0 };
    return { status: reply.status, answer: await reply.json() };
  } catch {
    if (signal.aborted) return { status: 409 };
    return reply ? { status: 500, answer: { error: `The program's answer cannot be read (status ${reply.status}).` } }
      : { status: 0 };
  }
}

// MARK: The connection

const connection = {
  pause: 1000, timer: null,

  lost() {
    element('lost').hidden = false;
    if (this.timer) return;
    element('retry').textContent = `Next try in ${this.pause / 1000} s`;
    this.timer = setTimeout(() => this.look(), this.pause);
    this.pause = Math.min(this.pause * 2, 30_000);
  },

  // Asks whether the program is there again.
  async look() {
    this.timer = null;
    let isThere = false;
    try { isThere = (await fetch('start', { cache: 'no-store' })).ok; } catch {}
    if (!isThere) { this.lost(); return; }
    this.pause = 1000;
    element('lost').hidden = true;
    for (const channel of Object.values(channels)) if (channel.waiting && !channel.flight) channel.send();
  },

  // Opens the address of a program that was started again, with these settings.
  open(text) {
    const problem = message => { element('wrong-address').textContent = message; };
    let address;
    try { address = new URL(text.trim()); } catch { problem('This is not an address.'); return; }
    const isOwn = ['127.0.0.1', 'localhost', '[::1]', location.hostname].includes(address.hostname);
    if (address.protocol !== 'http:' || !isOwn) {
      problem(`Expected the address that the program prints, such as http://${location.host}/….`);
      return;
    }
    rememberNow();
    address.hash = location.hash;
    location.href = address.href;
  },
};
