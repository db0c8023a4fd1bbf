// Events on their way to the recorder, in numbered batches. A batch is kept, in the browser's storage too, until the recorder has
// acknowledged it: a page that is closed has sent what it could, and the next visit sends the rest. The recorder drops repeats.

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
  #clock;
  #run;
  #events = [];
  #batches = [];
  #sequence = 0;
  #last = 0;
  #sending = false;
  #ended = false;
  #patience = beat;

  constructor(clock, run) {
    this.#clock = clock;
    this.#run = run;
    this.client = storage(store => store.getItem("cachereplay-client")) ?? randomName();
    storage(store => store.setItem("cachereplay-client", this.client));
  }

  // Says hello, after what earlier visits could not send any more.
  async begin() {
    const left = this.#left();
    const hello = { visit: this.visit, sequence: 1, clock_error_us: this.#clock.error, events: [] };
    const response = await this.#post("hello", [hello]);
    if (!response.ok) throw new Error(response.status === 503 ? "This recorder has as many browsers as it takes." : "The recorder does not answer.");
    if (left.length > 0 && (await this.#post("events", left)).ok) this.#forgetOthers();
    this.event("foreground");
    setInterval(() => this.flush(), beat);
    addEventListener("visibilitychange", () => {
      this.event(document.hidden ? "background" : "foreground");
      if (document.hidden) this.#leave();
    });
  }

  // `moment` is one of performance.now().
  event(name, fields = {}, moment = performance.now()) {
    if (this.#ended) return;
    this.#last = Math.max(this.#last, this.#clock.at(moment));
    this.#events.push({ t: this.#last, e: name, ...fields });
    if (this.#events.length >= 1000) this.flush();
  }

  // The page is closed, or put aside where it may be shown again.
  hide(isKept) {
    if (!isKept) this.event("terminate");
    this.#leave();
    // Browsers tell of a closed page that it is hidden, too.
    this.#ended ||= !isKept;
  }

  async flush() {
    this.#cut();
    if (this.#sending || this.#ended || this.#batches.length === 0) return;
    this.#sending = true;
    const sent = this.#batches.slice(0, 50);
    try {
      const response = await this.#post("events", sent);
      if (response.ok) {
        const last = sent[sent.length - 1].sequence;
        this.#batches = this.#batches.filter(batch => batch.sequence > last);
        this.#keep();
        this.#patience = beat;
        this.onstatus("");
      } else {
        this.#ended = true; // this recorder does not know us: it is another one
        this.onstatus("Recording has ended. Reload to begin anew.");
      }
    } catch {
      this.#patience = Math.min(8_000, this.#patience * 2);
      this.onstatus("The recorder is out of reach; what you do is kept.");
      await new Promise(resolve => setTimeout(resolve, this.#patience));
    } finally {
      this.#sending = false;
    }
  }

  // Sends all there is, in a way that outlives the page. It stays in storage, as nobody waits for the answer.
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

  // Batches of earlier visits to this recorder; those for another are of no use to anybody.
  #left() {
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
