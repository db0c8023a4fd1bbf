// Loads images for cells. Each request of a cell is a request to the server: there is no cache, because the recording must contain
// all requests.
//
// Browsers open six connections to a server, so at most six images are loaded at a time. The newest waiting cell is loaded first,
// because it is most likely still visible; a cell that disappears while it waits is not loaded. A load that has started is
// completed, as in most image libraries.

export class Images {
  loading = 0;
  #waiting = [];
  #client;
  #cache;
  #connections;

  constructor(client, usesCache, connections) {
    this.#client = client;
    this.#connections = connections;
    this.#cache = usesCache ? "default" : "no-store";
  }

  // Shows an image in `element`, an <img>, when it is loaded. Returns a function that cancels the load.
  load(path, element, onshown = () => {}) {
    const request = { path, element, onshown, isWanted: true };
    this.#waiting.push(request);
    this.#next();
    return () => {
      request.isWanted = false;
      this.#waiting = this.#waiting.filter(other => other !== request);
    };
  }

  #next() {
    while (this.loading < this.#connections && this.#waiting.length > 0) {
      this.loading += 1;
      this.#show(this.#waiting.pop()).catch(() => {}).finally(() => {
        this.loading -= 1;
        this.#next();
      });
    }
  }

  async #show(request) {
    const response = await fetch(`${request.path}?c=${this.#client}`, { cache: this.#cache });
    const data = await response.blob();
    if (!response.ok || !request.isWanted) return;
    // A blob URL, because the browser shows a second image of the same URL from memory.
    const address = URL.createObjectURL(data);
    try {
      await new Promise((resolve, reject) => {
        request.element.onload = resolve;
        request.element.onerror = reject;
        request.element.src = address;
      });
      if (request.isWanted) request.onshown();
    } finally {
      URL.revokeObjectURL(address);
    }
  }
}
