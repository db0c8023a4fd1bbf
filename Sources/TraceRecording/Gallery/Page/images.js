// Loads images for cells. Each request of a cell is a request to the server: nothing is kept here, for what a cache would have
// saved is what the recording is to find out.
//
// Browsers open six connections to a server. What waits for one is taken newest first, as it is most likely still in view; a cell
// that vanishes before its turn is not loaded. A load that has begun is finished, as most image libraries do.

const connections = 6;

export class Images {
  loading = 0;
  #waiting = [];
  #client;
  #cache;

  constructor(client, usesCache) {
    this.#client = client;
    this.#cache = usesCache ? "default" : "no-store";
  }

  // Shows an image in `element`, an <img>, once it is there. Returns what takes the wish back.
  load(path, element, onshown = () => {}) {
    const wish = { path, element, onshown, isWanted: true };
    this.#waiting.push(wish);
    this.#next();
    return () => {
      wish.isWanted = false;
      this.#waiting = this.#waiting.filter(other => other !== wish);
    };
  }

  #next() {
    while (this.loading < connections && this.#waiting.length > 0) {
      this.loading += 1;
      this.#show(this.#waiting.pop()).catch(() => {}).finally(() => {
        this.loading -= 1;
        this.#next();
      });
    }
  }

  async #show(wish) {
    const response = await fetch(`${wish.path}?c=${this.#client}`, { cache: this.#cache });
    const data = await response.blob();
    if (!response.ok || !wish.isWanted) return;
    // Not its address: the browser would show a second one of the same address from memory.
    const address = URL.createObjectURL(data);
    try {
      await new Promise((resolve, reject) => {
        wish.element.onload = resolve;
        wish.element.onerror = reject;
        wish.element.src = address;
      });
      if (wish.isWanted) wish.onshown();
    } finally {
      URL.revokeObjectURL(address);
    }
  }
}
