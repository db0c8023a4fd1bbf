// Lists that contain only the cells in and near the viewport, and reuse the elements of cells that have disappeared, like lists in
// apps.

const listPart = 5_000; // images of an event

// Reports visible cells to the recorder, and loads their images. A cell is visible if one pixel is.
export class Sight {
  #recorder;
  #images;
  #cells = new Map();
  #observer;

  constructor(recorder, images) {
    this.#recorder = recorder;
    this.#images = images;
    // The second threshold distinguishes a cell that reaches into the viewport from one that only touches its edge.
    this.#observer = new IntersectionObserver(entries => {
      for (const entry of entries) this.#see(entry.target, entry.isIntersecting && entry.intersectionRatio > 0, entry.time);
    }, { threshold: [0, 0.00001] });
  }

  // `element` holds an <img>; `variant` is "thumbnail" or "full".
  watch(element, image, variant) {
    this.#cells.set(element, { image, variant, isSeen: false, cancel: () => {} });
    this.#observer.observe(element);
  }

  // The element does not show this cell any more.
  drop(element) {
    this.#see(element, false, performance.now());
    this.#observer.unobserve(element);
    this.#cells.delete(element);
  }

  dropAll() {
    for (const element of [...this.#cells.keys()]) this.drop(element);
  }

  // Reports what a list shows: `images` from position `first` on, with so many columns.
  list(variant, images, first, columns) {
    const now = performance.now();
    for (let start = 0; start < images.length; start += listPart) {
      this.#recorder.event("list", { variant, images: images.slice(start, start + listPart), first: first + start, columns }, now);
    }
  }

  // The cells reported as visible, for tests: [[image, variant], …].
  get seen() {
    return [...this.#cells.values()].filter(cell => cell.isSeen).map(cell => [cell.image, cell.variant]);
  }

  #see(element, isSeen, time) {
    const cell = this.#cells.get(element);
    if (!cell || cell.isSeen === isSeen) return;
    cell.isSeen = isSeen;
    const img = element.querySelector("img");
    const size = isSeen ? sizeInPixels(img) : {};
    this.#recorder.event(isSeen ? "appear" : "disappear", { n: cell.image, variant: cell.variant, ...size }, time);
    if (isSeen) {
      const path = `${cell.variant === "thumbnail" ? "thumb" : "full"}/${cell.image}`;
      cell.cancel = this.#images.load(path, img, source => {
        element.classList.add("loaded");
        if (source) this.#recorder.event("served", { n: cell.image, variant: cell.variant, from: source });
      });
    } else {
      cell.cancel();
      img.removeAttribute("src");
      element.classList.remove("loaded");
    }
  }
}

// Returns the size of an element in pixels of the screen, as { width, height }; {} if it has none that a trace can
// contain. The computed style has fractions of points, and no transforms, such as those of a tile below the pointer.
function sizeInPixels(element) {
  const style = getComputedStyle(element);
  const [width, height] = [style.width, style.height]
    .map(side => side.endsWith("px") ? Math.round(parseFloat(side) * devicePixelRatio) : 0);
  return [width, height].every(side => side >= 1 && side <= 65_535) ? { width, height } : {};
}

export class CellList {
  #scroller;
  #content;
  #sight;
  #make;
  #fill;
  #layout;
  #cells = new Map(); // index -> element
  #spare = [];
  #planned = false;
  #reported = 0; // items

  // `layout` has `count`, `columns`, `variant`, `image(index)`, `height`, `at(index)` -> { left, top, width, height },
  // `range(top, bottom)` -> [first, last) and `resize(width, height)`; `make()` creates an element with an <img>;
  // `fill(element, index)` shows a cell in it and returns its image and variant.
  constructor(scroller, sight, layout, make, fill) {
    this.#scroller = scroller;
    this.#content = scroller.querySelector(".content");
    this.#sight = sight;
    this.#layout = layout;
    this.#make = make;
    this.#fill = fill;
    scroller.addEventListener("scroll", () => this.plan(), { passive: true });
  }

  // Updates with the next frame.
  plan() {
    if (this.#planned) return;
    this.#planned = true;
    requestAnimationFrame(() => {
      this.#planned = false;
      if (!this.#scroller.hidden) this.update();
    });
  }

  update() {
    const margin = this.#scroller.clientHeight / 2;
    const top = this.#scroller.scrollTop - this.#content.offsetTop;
    const [first, last] = this.#layout.range(Math.max(0, top - margin), top + this.#scroller.clientHeight + margin);
    for (const [index, element] of this.#cells) {
      if (index < first || index >= last) this.#remove(index, element);
    }
    for (let index = first; index < last; index += 1) {
      if (!this.#cells.has(index)) this.#add(index);
    }
    this.#content.style.height = `${this.#layout.height}px`;
    this.#report();
    for (const element of this.#spare) element.hidden = true;
  }

  // Repeats the layout, for another width or other contents.
  reset() {
    this.clear();
    this.#reported = 0;
    this.#layout.resize(this.#content.clientWidth, this.#scroller.clientHeight);
    this.update();
  }

  // Reports the items of the list that were not reported yet.
  #report() {
    const { count, columns, variant } = this.#layout;
    const images = [];
    for (let index = this.#reported; index < count; index += 1) images.push(this.#layout.image(index));
    this.#sight.list(variant, images, this.#reported, columns);
    this.#reported = count;
  }

  // Removes all cells.
  clear() {
    for (const [index, element] of this.#cells) this.#remove(index, element);
  }

  #add(index) {
    const element = this.#spare.pop() ?? this.#content.appendChild(this.#make());
    const { left, top, width, height } = this.#layout.at(index);
    Object.assign(element.style, { transform: `translate(${left}px, ${top}px)`, width: `${width}px`, height: `${height}px` });
    element.hidden = false;
    const { image, variant } = this.#fill(element, index);
    element.dataset.image = image;
    element.dataset.variant = variant;
    element.style.setProperty("--hue", (image * 137.5) % 360);
    this.#cells.set(index, element);
    this.#sight.watch(element, image, variant);
  }

  #remove(index, element) {
    this.#sight.drop(element);
    this.#cells.delete(index);
    this.#spare.push(element);
  }
}
