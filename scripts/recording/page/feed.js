// A recycling grid, as a list view in an app works: a cell exists, and asks for its thumbnail, only while it is in
// view. A load that has begun is not cancelled when its cell leaves, which is what most image libraries do by default.
"use strict";

const columns = 3;
const feed = document.getElementById("feed");
const detail = document.getElementById("detail");
const cells = new Map();    // index in the feed -> cell in view
window.loading = 0;         // loads that have begun and not ended
window.appearances = [];    // [milliseconds since 1970, path]: what the recorder checks the HAR against

let pictures = [];
let side = 0;

// Not an <img>: the browser would serve a second one for the same address from the document's own memory, without a
// request that a recorder could see.
function image(path) {
  const canvas = document.createElement("canvas");
  appearances.push([performance.timeOrigin + performance.now(), path]);
  load(path, canvas).finally(() => { loading -= 1; });
  loading += 1;
  return canvas;
}

async function load(path, canvas) {
  const response = await fetch(path, { cache: "no-store" });
  const bytes = await response.arrayBuffer();  // blob() would leave the HAR without the content's size
  const bitmap = await createImageBitmap(new Blob([bytes]));
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  if (canvas.isConnected) canvas.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
}

function appear(index) {
  const cell = document.createElement("div");
  cell.className = "cell";
  cell.style.left = `${(index % columns) * 100 / columns}%`;
  cell.style.top = `${Math.floor(index / columns) * side}px`;
  cell.append(image(pictures[index].thumb));
  cell.onclick = () => open(index);
  feed.append(cell);
  cells.set(index, cell);
}

function update() {
  const first = Math.max(0, Math.floor((scrollY - feed.offsetTop) / side)) * columns;
  const last = Math.min(pictures.length, Math.ceil((scrollY + innerHeight - feed.offsetTop) / side) * columns);
  for (const [index, cell] of cells) {
    if (index < first || index >= last) {
      cell.remove();
      cells.delete(index);
    }
  }
  for (let index = first; index < last; index += 1) {
    if (!cells.has(index)) appear(index);
  }
}

function open(index) {
  detail.append(image(pictures[index].full));
  detail.hidden = false;
}

document.getElementById("back").onclick = () => {
  detail.hidden = true;
  detail.querySelector("canvas").remove();
};

document.getElementById("top").onclick = () => scrollTo({ top: 0, behavior: "smooth" });

addEventListener("scroll", () => requestAnimationFrame(update), { passive: true });

fetch("feed.json").then(response => response.json()).then(list => {
  pictures = list;
  side = innerWidth / columns;
  feed.style.height = `${Math.ceil(pictures.length / columns) * side}px`;
  update();
  document.body.dataset.ready = "yes";
});
