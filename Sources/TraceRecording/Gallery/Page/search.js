// A list of search results: the images whose names have a word that begins with each typed word.

import { CellList } from "./cells.js";

const debounce = 150; // milliseconds after the last letter
const row = 72; // points

export class Search {
  list;
  #catalogue;
  #layout = new RowLayout();
  #results = [];
  #query = null;
  #scroller;
  #timer = 0;

  constructor(scroller, sight, catalogue, open) {
    this.#scroller = scroller;
    this.#catalogue = catalogue;
    this.list = new CellList(scroller, sight, this.#layout, makeRow, (element, index) => {
      const image = this.#results[index];
      this.#fill(element, catalogue.images[image]);
      return { image, variant: "thumbnail" };
    });
    const input = scroller.querySelector("input");
    input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.show(input.value), debounce);
    });
    const words = scroller.querySelector(".words");
    words.append(...frequentWords(catalogue.images).map(word => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = word;
      button.onclick = () => {
        input.value = word;
        this.show(word);
      };
      return button;
    }));
    scroller.addEventListener("click", event => {
      const found = event.target.closest(".row");
      if (found) open(Number(found.dataset.image), found);
    });
    this.#query = [];
    this.#results = this.#find([]);
    this.#layout.images = this.#results;
    this.#count();
  }

  show(text) {
    const query = wordsOf(text);
    if (this.#query.join(" ") === query.join(" ")) return;
    this.#query = query;
    this.#results = this.#find(query);
    this.#layout.images = this.#results;
    this.#scroller.scrollTop = 0;
    this.#count();
    this.list.reset();
  }

  #find(query) {
    const { images } = this.#catalogue;
    return images.map((_, image) => image)
      .filter(image => query.every(part => images[image].words.some(word => word.startsWith(part))));
  }

  #count() {
    const count = this.#results.length;
    this.#scroller.querySelector(".count").textContent = count === 0 ? "No image has such a name." : `${count} ${count === 1 ? "image" : "images"}`;
  }

  #fill(element, image) {
    const title = element.querySelector(".name");
    title.replaceChildren(...marked(image.title, this.#query));
    element.querySelector("small").textContent = [image.folder, image.size].filter(Boolean).join(" · ");
  }
}

export function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function frequentWords(images) {
  const counts = new Map();
  for (const image of images) {
    for (const word of new Set(image.words)) if (/^\p{L}{4,}$/u.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count < images.length / 2).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 8).map(([word]) => word);
}

// Marks the beginnings of words that match the query.
function marked(title, query) {
  return title.split(/([\p{L}\p{N}]+)/u).flatMap(part => {
    const hit = query.filter(start => part.toLowerCase().startsWith(start)).sort((a, b) => b.length - a.length)[0];
    if (!hit) return [part];
    const mark = document.createElement("mark");
    mark.textContent = part.slice(0, hit.length);
    return [mark, part.slice(hit.length)];
  });
}

function makeRow() {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "row cell";
  element.innerHTML = '<span class="picture"><img alt="" decoding="async"></span><span class="text"><span class="name"></span><small></small></span>';
  return element;
}

class RowLayout {
  variant = "thumbnail";
  columns = 1;
  images = [];
  #width = 1;

  get count() { return this.images.length; }

  image(index) { return this.images[index]; }

  get height() { return this.count * row; }

  resize(width) { this.#width = width; }

  at(index) { return { left: 0, top: index * row, width: this.#width, height: row }; }

  range(top, bottom) {
    const first = Math.min(this.count, Math.floor(top / row));
    return [first, Math.max(first, Math.min(this.count, Math.ceil(bottom / row)))];
  }
}
