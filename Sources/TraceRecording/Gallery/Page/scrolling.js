// Reports the movement of a list: dragged while a finger, a button or a wheel moves it, then decelerating, then at rest.

const interval = 50; // milliseconds between two reports of one phase
const pause = 130; // without movement: at rest, or the wheel is released

export class Scrolling {
  #scroller;
  #recorder;
  #phase = "at_rest";
  #held = false;
  #wheeled = -Infinity;
  #reported = -Infinity;
  #samples = []; // [milliseconds, offset]
  #timer = 0;

  constructor(scroller, recorder) {
    this.#scroller = scroller;
    this.#recorder = recorder;
    const listen = (target, names, body) => {
      for (const name of names) target.addEventListener(name, body, { passive: true });
    };
    listen(scroller, ["scroll"], () => this.#moved());
    // Touch events, because pointer events end when the browser starts to scroll.
    listen(scroller, ["touchstart"], () => { this.#held = true; });
    listen(scroller, ["touchend", "touchcancel"], event => { this.#held = event.touches.length > 0; });
    // A mouse on the scroll bar.
    listen(scroller, ["pointerdown"], event => { if (event.pointerType === "mouse") this.#held = true; });
    listen(window, ["pointerup", "pointercancel"], event => { if (event.pointerType === "mouse") this.#held = false; });
    listen(scroller, ["wheel"], () => { this.#wheeled = performance.now(); });
    listen(scroller, ["scrollend"], () => { if (!this.#held) this.#rest(); });
  }

  // Ends the reports when the list is hidden.
  stop() {
    this.#held = false;
    this.#rest();
  }

  #moved() {
    const now = performance.now();
    this.#samples.push([now, this.#scroller.scrollTop]);
    while (this.#samples.length > 2 && this.#samples[0][0] < now - 100) this.#samples.shift();
    const phase = this.#held || now - this.#wheeled < pause ? "dragged" : "decelerating";
    if (phase !== this.#phase || now - this.#reported >= interval) this.#report(phase, this.#velocity(), now);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wait(), pause);
  }

  // There was no movement for a while. A finger that holds the list still drags it.
  #wait() {
    if (this.#held) this.#timer = setTimeout(() => this.#wait(), pause);
    else this.#rest();
  }

  #rest() {
    clearTimeout(this.#timer);
    this.#samples = [];
    if (this.#phase !== "at_rest") this.#report("at_rest", 0, performance.now());
  }

  // Returns points per second, over the last tenth of a second.
  #velocity() {
    const [[began, from], [ended, to]] = [this.#samples[0], this.#samples[this.#samples.length - 1]];
    return ended > began ? (to - from) / (ended - began) * 1000 : 0;
  }

  #report(phase, velocity, now) {
    this.#phase = phase;
    this.#reported = now;
    this.#recorder.event("scroll", { phase, offset: round(this.#scroller.scrollTop), velocity: round(velocity) }, now);
  }
}

function round(value) {
  return Math.round(value * 10) / 10;
}
