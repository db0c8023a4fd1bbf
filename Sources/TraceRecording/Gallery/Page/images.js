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
  #timings;

  constructor(client, usesCache, connections) {
    this.#client = client;
    this.#connections = connections;
    this.#cache = usesCache ? "default" : "no-store";
    this.#timings = usesCache ? new Timings() : null;
  }

  // Shows an image in `element`, an <img>, when it is loaded, and calls `onshown` with its source: "network", "disk" for the
  // browser's cache, or null if it is unknown. Returns a function that cancels the load.
  load(path, element, onshown = () => {}) {
    const request = { path, element, onshown, isWanted: true, release: () => {} };
    this.#waiting.push(request);
    this.#next();
    return () => {
      request.isWanted = false;
      request.release();
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
    const began = performance.now();
    const response = await fetch(`${request.path}?c=${this.#client}`, { cache: this.#cache });
    const data = await response.blob();
    if (!response.ok || !request.isWanted) return;
    // A blob URL, because the browser shows a second image of the same URL from memory.
    const address = URL.createObjectURL(data);
    try {
      await new Promise((resolve, reject) => {
        // A cell that disappears loses its source, and an element without a source reports neither a load nor an error.
        request.release = resolve;
        request.element.onload = resolve;
        request.element.onerror = reject;
        request.element.src = address;
      });
      if (request.isWanted) request.onshown(this.#timings ? this.#timings.source(response.url, began) : "network");
    } finally {
      URL.revokeObjectURL(address);
    }
  }
}

// Where the browser had responses from. Without its cache, every response is from the network.
class Timings {
  #entries = new Map(); // address -> entries
  #observer = new PerformanceObserver(list => this.#add(list.getEntries()));

  constructor() {
    this.#observer.observe({ type: "resource" });
  }

  // Returns the source of a response that has arrived; null if the browser does not say, or if loads of one image overlap.
  source(address, began) {
    this.#add(this.#observer.takeRecords());
    const entries = (this.#entries.get(address) ?? []).filter(entry => entry.startTime >= began - 1);
    this.#entries.delete(address);
    if (entries.length !== 1) return null;
    const [{ transferSize, encodedBodySize }] = entries;
    if (transferSize === undefined || encodedBodySize === 0) return null;
    // Nothing was transferred, or only the head of a response that confirms the copy in the cache.
    return transferSize < encodedBodySize ? "disk" : "network";
  }

  #add(entries) {
    for (const entry of entries) {
      if (entry.initiatorType !== "fetch") continue;
      this.#entries.set(entry.name, [...(this.#entries.get(entry.name) ?? []).slice(-3), entry]);
    }
  }
}
