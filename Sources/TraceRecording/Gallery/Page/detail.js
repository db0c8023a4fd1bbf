// One image in full size, over the list that it was opened from. The list's cells stay, as in an app below a sheet, and so do not
// disappear in the recording.

export class Detail {
  #element = document.getElementById("detail");
  #frame = this.#element.querySelector(".frame");
  #sight;
  #catalogue;
  #opener = null;
  #swipe = null;

  constructor(sight, catalogue) {
    this.#sight = sight;
    this.#catalogue = catalogue;
    this.#element.querySelector(".close").onclick = () => history.back();
    this.#element.addEventListener("click", event => { if (event.target === this.#element) history.back(); });
    addEventListener("keydown", event => { if (event.key === "Escape" && this.isOpen) history.back(); });
    addEventListener("popstate", () => this.close());
    this.#listenForSwipes();
  }

  get isOpen() { return !this.#element.hidden; }

  open(image, opener) {
    if (this.isOpen) return;
    const { title, width, height, size } = this.#catalogue.images[image];
    const cell = document.createElement("div");
    cell.className = "cell";
    cell.dataset.image = image;
    cell.dataset.variant = "full";
    cell.style.setProperty("--hue", (image * 137.5) % 360);
    cell.style.aspectRatio = width && height ? `${width} / ${height}` : "4 / 3";
    cell.style.setProperty("--ratio", width && height ? width / height : 4 / 3);
    cell.innerHTML = '<img alt="" decoding="async">';
    cell.firstChild.alt = title;
    this.#frame.replaceChildren(cell);
    this.#element.querySelector("strong").textContent = title;
    this.#element.querySelector("small").textContent = size;
    this.#element.hidden = false;
    this.#element.focus({ preventScroll: true });
    this.#opener = opener;
    history.pushState({ detail: true }, "");
    this.#sight.watch(cell, image, "full");
  }

  close() {
    if (!this.isOpen) return;
    this.#sight.drop(this.#frame.firstChild);
    this.#frame.replaceChildren();
    this.#element.hidden = true;
    this.#opener?.focus({ preventScroll: true });
  }

  // A vertical swipe closes the image.
  #listenForSwipes() {
    this.#element.addEventListener("touchstart", event => {
      this.#swipe = event.touches.length === 1 ? { from: event.touches[0].clientY, by: 0 } : null;
    }, { passive: true });
    this.#element.addEventListener("touchmove", event => {
      if (!this.#swipe) return;
      this.#swipe.by = event.touches[0].clientY - this.#swipe.from;
      this.#frame.style.transform = `translateY(${this.#swipe.by}px) scale(${1 - Math.min(0.15, Math.abs(this.#swipe.by) / 2000)})`;
    }, { passive: true });
    const end = () => {
      this.#frame.style.transform = "";
      if (this.#swipe && Math.abs(this.#swipe.by) > 80) history.back();
      this.#swipe = null;
    };
    this.#element.addEventListener("touchend", end);
    this.#element.addEventListener("touchcancel", end);
  }
}
