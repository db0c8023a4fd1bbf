// Writes into a session replay when which image is on the screen, for `scripts/convert-replay`.
//
//   import { record } from "rrweb";
//   recordAppearances((tag, payload) => record.addCustomEvent(tag, payload));
//
// Sentry: (tag, payload) => Sentry.addBreadcrumb({ category: tag, data: payload })
// Any other recorder: a function that stores { type: 5, timestamp, data: { tag, payload } }.
//
// `selector` chooses the images, or cells with an attribute `data-image` that names their image. Keys are addresses, or
// with `hashed: true` their SHA-256, so that no address is recorded.
export function recordAppearances(addCustomEvent, { selector = "img, [data-image]", hashed = false } = {}) {
  const shown = new Map(); // element: key
  const keys = new Map(); // name: promise of its key
  let written = Promise.resolve(); // events stay in order while keys are hashed

  function nameOf(element) {
    if (!element.dataset.image && element.closest("[data-image]")) return null; // its cell counts
    const name = element.dataset.image || element.currentSrc || element.src;
    return name && !name.startsWith("data:") && !name.startsWith("blob:") ? name : null;
  }
  async function hash(name) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  function write(e, name, moment, element) {
    const facts = { v: 1, e, t: performance.timeOrigin + moment };
    if (element?.naturalWidth) Object.assign(facts, { width: element.naturalWidth, height: element.naturalHeight });
    const { width, height } = element?.getBoundingClientRect() ?? {};
    if (width) Object.assign(facts, { viewWidth: width * devicePixelRatio, viewHeight: height * devicePixelRatio });
    const size = element && performance.getEntriesByName(name).at(-1)?.encodedBodySize;
    if (size) facts.bytes = size;
    if (!keys.has(name)) keys.set(name, hashed ? hash(name) : Promise.resolve(name));
    written = written.then(async () => addCustomEvent("cachereplay", { ...facts, key: await keys.get(name) }));
  }
  function update(element, isVisible, moment) {
    const before = shown.get(element) ?? null;
    const now = isVisible ? nameOf(element) : null;
    if (before === now) return;
    if (before) write("disappear", before, moment);
    if (now) write("appear", now, moment, element.matches("img") ? element : element.querySelector("img"));
    if (now) shown.set(element, now);
    else shown.delete(element);
  }
  const visible = new IntersectionObserver((entries) => {
    for (const entry of entries) update(entry.target, entry.isIntersecting, entry.time);
  });
  const changed = new MutationObserver(() => look());
  function look() {
    for (const element of document.querySelectorAll(selector)) visible.observe(element);
    for (const element of [...shown.keys()]) update(element, element.isConnected, performance.now());
  }
  function loaded({ target }) {
    if (!target.matches?.(selector)) return;
    visible.unobserve(target); // so that it is judged again, now that `currentSrc` is known
    visible.observe(target);
  }
  document.addEventListener("load", loaded, true);
  changed.observe(document, { childList: true, subtree: true, attributeFilter: ["src", "srcset", "data-image"] });
  look();
}
