// Sends events to the recorder, in numbered batches. A batch is kept, also in the browser's storage, until the recorder has
// acknowledged it: the next visit sends the batches that a closed page could not send. The recorder drops repeated batches.

const beat = 500; // milliseconds from one batch to the next
const prefix = "cachereplay-batches-";

function randomName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(10)), byte => byte.toString(16).padStart(2, "0")).join("");
}

function storage(body) {
  try { return body(localStorage); } catch { return null; } // forbidden, or full
}

export class Recorder {
  visit = randomName();
  client;
  onstatus = () => {};
  onappear = () => {}; // called with the number of cells that have appeared
  #clock;
  #run;
  #events = [];
  #batches = [];
  #sequence = 0;
  #last = 0;
  #sending = false;
  #ended = false;
  #over = false; // the visit has its last event
  #appearances = 0;
  #patience = beat;

  constructor(clock, run) {
    this.#clock = clock;
    this.#run = run;
    this.client = storage(store => store.getItem("cachereplay-client")) ?? randomName();
    storage(store => store.setItem("cachereplay-client", this.client));
  }

  // Starts the visit, and sends the batches of earlier visits.
  async begin() {
    const unsent = this.#unsent();
    const hello = { visit: this.visit, sequence: 1, clock_error_us: this.#clock.error, events: [] };
    const response = await this.#post("hello", [hello]);
    if (!response.ok) throw new Error(response.status === 503 ? "The recorder does not accept more browsers." : "The recorder does not answer.");
    if (unsent.length > 0 && (await this.#post("events", unsent)).ok) this.#forgetOthers();
    this.event("foreground");
    setInterval(() => this.flush(), beat);
    addEventListener("visibilitychange", () => {
      this.event(document.hidden ? "background" : "foreground");
      if (document.hidden) this.#leave();
    });
  }

  // `moment` is a time of performance.now().
  event(name, fields = {}, moment = performance.now()) {
    if (this.#ended || this.#over) return;
    this.#last = Math.max(this.#last, this.#clock.at(moment));
    this.#events.push({ t: this.#last, e: name, ...fields });
    if (this.#events.length >= 1000 || fields.images?.length > 500) this.flush();
    if (name === "appear") this.onappear(this.#appearances += 1);
  }

  // Ends the visit. The recorder has all of its events when this returns.
  async end() {
    this.event("terminate");
    this.#over = true;
    while (this.hasUnsentEvents) {
      await this.flush();
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }

  // Returns the address of a page on which this session can be replayed.
  async played() {
    const response = await this.#post("played", []);
    if (response.status === 409) throw new Error("The recorder has no events of this browser: record again.");
    if (!response.ok) throw new Error("The replay cannot start; the terminal of the recorder shows the reason.");
    const address = new URL((await response.json()).address);
    // The recorder knows its own address, and this browser the one at which it is reached.
    address.hostname = location.hostname;
    return address.href;
  }

  // The page is closed, or hidden and possibly shown again (`isKept`).
  hide(isKept) {
    if (!isKept) this.event("terminate");
    this.#leave();
    // Browsers report a closed page as hidden too.
    this.#ended ||= !isKept;
  }

  // Whether events are not yet at the server, for tests.
  get hasUnsentEvents() { return !this.#ended && this.#events.length + this.#batches.length > 0; }

  async flush() {
    this.#cut();
    if (this.#sending || this.#ended || this.#batches.length === 0) return;
    this.#sending = true;
    const sent = this.#batches.slice(0, this.#room());
    try {
      const response = await this.#post("events", sent);
      if (response.ok) {
        const last = sent[sent.length - 1].sequence;
        this.#batches = this.#batches.filter(batch => batch.sequence > last);
        this.#keep();
        this.#patience = beat;
        this.onstatus("");
      } else if (response.status === 507) {
        await this.#wait("The disk of the recorder is full; events are kept.");
      } else {
        this.#ended = true; // another recorder, which does not know this browser
        this.onstatus("The recording has ended. Reload the page to start a new one.");
      }
    } catch {
      await this.#wait("The recorder cannot be reached; events are kept.");
    } finally {
      this.#sending = false;
    }
  }

  // Waits before the next attempt, longer each time.
  #wait(reason) {
    this.#patience = Math.min(8_000, this.#patience * 2);
    this.onstatus(reason);
    return new Promise(resolve => setTimeout(resolve, this.#patience));
  }

  // Returns how many batches a request sends: at most 50, and at least one. The server refuses bodies of more than 1 MB.
  #room() {
    let [count, length] = [0, 0];
    while (count < Math.min(50, this.#batches.length)) {
      length += JSON.stringify(this.#batches[count]).length;
      if (count > 0 && length > 500_000) break;
      count += 1;
    }
    return count;
  }

  // Sends all batches with a request that outlives the page. They stay in storage, because no response arrives.
  #leave() {
    this.#cut();
    if (this.#ended || this.#batches.length === 0) return;
    const body = this.#body(this.#batches);
    if (!navigator.sendBeacon?.("events", body)) {
      fetch("events", { method: "POST", body, keepalive: true }).catch(() => {});
    }
  }

  #cut() {
    if (this.#events.length === 0) return;
    this.#sequence += 1;
    this.#batches.push({ visit: this.visit, sequence: this.#sequence, clock_error_us: this.#clock.error, events: this.#events });
    this.#events = [];
    this.#keep();
  }

  #keep() {
    const key = prefix + this.visit;
    storage(store => this.#batches.length === 0 ? store.removeItem(key)
      : store.setItem(key, JSON.stringify({ run: this.#run, batches: this.#batches })));
  }

  // Returns the batches of earlier visits to this recorder, and deletes those for other recorders.
  #unsent() {
    return this.#others().flatMap(key => {
      const kept = storage(store => JSON.parse(store.getItem(key)));
      if (kept?.run === this.#run) return kept.batches;
      storage(store => store.removeItem(key));
      return [];
    }).slice(0, 100);
  }

  #forgetOthers() {
    for (const key of this.#others()) storage(store => store.removeItem(key));
  }

  #others() {
    return storage(store => Object.keys(store).filter(key => key.startsWith(prefix) && key !== prefix + this.visit)) ?? [];
  }

  #body(batches) {
    return JSON.stringify({ client: this.client, batches });
  }

  #post(path, batches) {
    return fetch(path, { method: "POST", body: this.#body(batches), cache: "no-store" });
  }
}
