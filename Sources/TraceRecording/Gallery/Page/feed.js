// An endless feed of full images. The seed determines the order: the folder's images, shuffled repeatedly; one in five cells
// repeats an earlier image, preferably a recent one.

import { CellList } from "./cells.js";

const caption = 52; // points below an image

export class Feed {
  list;

  constructor(scroller, sight, catalogue) {
    const layout = new FeedLayout(catalogue);
    this.list = new CellList(scroller, sight, layout, makeCard, (element, index) => {
      const image = layout.image(index);
      element.querySelector("figcaption").textContent = catalogue.images[image].title;
      return { image, variant: "full" };
    });
  }
}

function makeCard() {
  const card = document.createElement("figure");
  card.className = "card cell";
  card.innerHTML = '<div class="picture"><img alt="" decoding="async"></div><figcaption></figcaption>';
  return card;
}

class FeedLayout {
  height = 0;
  variant = "full";
  columns = 1;
  #images;
  #order = [];
  #tops = [0];
  #deck = [];
  #random;
  #width = 1;
  #screen = 1;

  constructor(catalogue) {
    this.#images = catalogue.images;
    this.#random = generator(catalogue.seed);
  }

  // The items so far: the feed has no end.
  get count() { return this.#order.length; }

  image(index) {
    while (this.#order.length <= index) this.#order.push(this.#draw());
    return this.#order[index];
  }

  resize(width, screen) {
    this.#width = width;
    this.#screen = screen;
    this.#tops = [0];
  }

  at(index) {
    return { left: 0, top: this.#top(index), width: this.#width, height: this.#top(index + 1) - this.#top(index) };
  }

  range(top, bottom) {
    let last = 0;
    while (this.#top(last + 1) <= top) last += 1;
    const first = last;
    while (this.#top(last) < bottom) last += 1;
    // The feed has no end.
    let end = last;
    while (this.#top(end) < bottom + 10 * this.#screen) end += 1;
    this.height = Math.max(this.height, this.#top(end));
    return [first, last];
  }

  #top(index) {
    while (this.#tops.length <= index) {
      const { width, height } = this.#images[this.image(this.#tops.length - 1)];
      // Very tall images are cropped, as in feeds of apps.
      const picture = Math.min(this.#width * (height && width ? height / width : 0.75), this.#width * 1.5);
      this.#tops.push(this.#tops[this.#tops.length - 1] + Math.round(picture) + caption);
    }
    return this.#tops[index];
  }

  #draw() {
    const met = this.#order.length;
    if (met > 8 && this.#random() < 0.2) {
      const back = 4 + Math.floor(-20 * Math.log(1 - this.#random()));
      if (back <= met) return this.#order[met - back];
    }
    if (this.#deck.length === 0) this.#deck = shuffled(this.#images.length, this.#random);
    return this.#deck.pop();
  }
}

function shuffled(count, random) {
  const numbers = Array.from({ length: count }, (_, number) => number);
  for (let index = count - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [numbers[index], numbers[other]] = [numbers[other], numbers[index]];
  }
  return numbers;
}

// xorshift32 (Marsaglia, 2003)
function generator(seed) {
  let state = (seed * 2654435761 + 88172645) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 4294967296;
  };
}
