// All images of the folder as square thumbnails; a tap opens the full image.

import { CellList } from "./cells.js";

export class Grid {
  list;

  constructor(scroller, sight, catalogue, open) {
    const layout = new GridLayout(catalogue.images.length);
    this.list = new CellList(scroller, sight, layout, makeTile, (element, index) => {
      element.setAttribute("aria-label", catalogue.images[index].title);
      return { image: index, variant: "thumbnail" };
    });
    scroller.addEventListener("click", event => {
      const tile = event.target.closest(".tile");
      if (tile) open(Number(tile.dataset.image), tile);
    });
  }
}

function makeTile() {
  const tile = document.createElement("button");
  tile.type = "button";
  tile.className = "tile cell";
  tile.innerHTML = '<img alt="" decoding="async">';
  return tile;
}

class GridLayout {
  height = 0;
  variant = "thumbnail";
  count;
  columns = 3;
  #side = 1;
  #gap = 2;

  constructor(count) {
    this.count = count;
  }

  resize(width) {
    this.columns = width < 600 ? 3 : Math.floor(width / 190);
    this.#gap = width < 600 ? 2 : 8;
    this.#side = (width - this.#gap * (this.columns - 1)) / this.columns;
    this.height = Math.ceil(this.count / this.columns) * this.#pitch - this.#gap;
  }

  image(index) { return index; }

  get #pitch() { return this.#side + this.#gap; }

  at(index) {
    return {
      left: (index % this.columns) * this.#pitch, top: Math.floor(index / this.columns) * this.#pitch,
      width: this.#side, height: this.#side,
    };
  }

  range(top, bottom) {
    const first = Math.min(this.count, Math.floor(top / this.#pitch) * this.columns);
    return [first, Math.max(first, Math.min(this.count, Math.ceil(bottom / this.#pitch) * this.columns))];
  }
}
