// An estimate of the recorder's clock. The page requests the time several times and uses the fastest response; half of its round
// trip is the largest error. Clocks drift (about 50 µs per second), so the estimate is repeated every minute.

export class Clock {
  offset = null; // microseconds to add to performance.now()
  error = null; // microseconds

  async set(exchanges = 8) {
    let best = null;
    for (let exchange = 0; exchange < exchanges; exchange += 1) {
      const asked = performance.now();
      const response = await fetch("clock", { cache: "no-store" });
      const server = Number(await response.text());
      const answered = performance.now();
      if (!response.ok || !Number.isFinite(server)) throw new Error("no clock");
      const error = (answered - asked) * 500;
      if (!best || error < best.error) best = { error, offset: server - (asked + answered) * 500 };
    }
    this.offset = best.offset;
    this.error = Math.ceil(best.error);
  }

  keep() {
    setInterval(() => { if (!document.hidden) this.set(4).catch(() => {}); }, 60_000);
  }

  // Converts a time of performance.now() to microseconds on the recorder's clock.
  at(moment) {
    return Math.max(0, Math.round(moment * 1000 + this.offset));
  }
}
