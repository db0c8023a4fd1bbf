'use strict';
// What the pages share: elements, figures, colours of caches, and which caches charts show.
// A text is always written as text: no name can become an element.

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const SVG = 'http://www.w3.org/2000/svg';

function set(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    // A page whose policy forbids attributes with styles permits this.
    else if (name === 'style') node.style.cssText = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children);
  return node;
}
const html = (name, attributes = {}, ...children) => set(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) => set(document.createElementNS(SVG, name), attributes, children);

// MARK: Figures

function scaled(value, steps) {
  const [factor, unit] = steps.findLast(([factor]) => Math.abs(value) >= factor * 0.9995) ?? steps[0];
  const size = Math.abs(value / factor);
  return `${Number((value / factor).toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0))} ${unit}`;
}
const written = {
  bytes: value => scaled(value, [[1, 'B'], [1e3, 'kB'], [1e6, 'MB'], [1e9, 'GB'], [1e12, 'TB']]),
  microseconds: value => scaled(value, [[1, 'µs'], [1e3, 'ms'], [1e6, 's']]),
  ratio: value => `${Number((value * 100).toFixed(2))}%`,
  count: value => Number(value.toFixed(1)).toLocaleString('en'),
  mean: value => Number(value.toFixed(value < 9.995 ? 3 : 1)).toLocaleString('en'),
  ms_per_second: value => `${Number(value.toFixed(1))} ms/s`,
};
function clock(second) {
  const two = number => String(number).padStart(2, '0');
  const [h, m, s] = [Math.floor(second / 3600), Math.floor(second / 60) % 60, Math.floor(second % 60)];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// Round values from `least` to `most`, at most `count` intervals of them.
function ticks(least, most, count) {
  const raw = (most - least) / Math.max(count, 1);
  if (!(raw > 0)) return [least];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(step => step >= raw * 0.999);
  const values = [];
  for (let index = Math.ceil(least / step - 1e-9); index * step <= most + step * 1e-9; index++) {
    values.push(index * step);
  }
  return values;
}
function timeTicks(from, to, count) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  const step = steps.find(step => (to - from) / step <= count);
  if (!step) return ticks(from, to, count);
  const values = [];
  for (let value = Math.ceil(from / step) * step; value <= to; value += step) values.push(value);
  return values;
}

// MARK: The caches that the charts of a trace show

// The name of a row's cache, with swept values.
const nameOf = row => row.cells[0].dataset.name ?? row.cells[0].textContent.trim();

// The lines of caches have the colours of the charts.
const COLOURS = 7;
// A cache has one colour in all sessions, from its first selection on.
const slots = new Map();
function slotOf(name) {
  if (!slots.has(name)) slots.set(name, slots.size);
  return slots.get(name);
}

// Results of many runs keep the timelines of a few.
const hasTimeline = run => run?.s?.length > 0;

class Selection {
  constructor(table) {
    this.caches = [...table.tBodies[0].rows].map((row, index) => ({
      index, row, name: nameOf(row), slot: -1,
      figures: [...row.cells].map(cell => cell.dataset.value === undefined ? NaN : Number(cell.dataset.value)),
    }));
    this.columns = all('thead th', table).map((head, index) => ({
      index, title: head.textContent.trim(), unit: head.dataset.unit, isLowBetter: head.dataset.better === 'lower',
      key: head.dataset.key,
    })).filter(column => column.unit);
    this.listeners = [];
  }

  column(key) { return this.columns.find(column => column.key === key) ?? this.columns[0]; }
  get visible() { return this.caches.filter(cache => !cache.row.hidden); }
  get chosen() { return this.visible.filter(cache => cache.slot >= 0).sort((a, b) => a.slot - b.slot); }

  // The extremes say the most: least and most blank time, least and most memory. Caches with the figures of a chosen
  // one would draw the same curves. If only some caches have a timeline, these are chosen.
  chooseExtremes(runs) {
    const kept = this.caches.filter(cache => hasTimeline(runs[cache.index]));
    if (kept.length && kept.length < this.caches.length) {
      kept.slice(0, COLOURS).forEach(cache => this.toggle(cache, true));
      return;
    }
    if (this.caches.length <= 5) { this.caches.forEach(cache => this.toggle(cache, true)); return; }
    const columns = ['blank', 'peak'].map(key => this.column(key).index);
    const text = cache => columns.map(column => cache.row.cells[column].textContent).join();
    for (const column of columns) {
      const known = this.caches.filter(cache => isFinite(cache.figures[column]));
      known.sort((a, b) => a.figures[column] - b.figures[column]);
      for (const order of [known, [...known].reverse()]) {
        const drawn = this.chosen.map(text);
        const cache = order.find(cache => !drawn.includes(text(cache)));
        if (cache) this.toggle(cache, true);
      }
    }
  }

  toggle(cache, isChosen = cache.slot < 0) {
    cache.slot = isChosen ? slotOf(cache.name) : -1;
    this.changed();
  }

  changed() { for (const listener of this.listeners) listener(); }
}

const colour = cache => `colour-${cache.slot % COLOURS}`;
const dash = cache => ['', '9 5', '9 4 2 4', '3 3', '18 5'][cache.slot % 5];

// Draws when the element has a width, and again when the width changes.
function onWidth(element, render) {
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.round(element.clientWidth);
    if (!width || width === last) return;
    last = width;
    // Not now: the element would get another height while the browser reports sizes, which is an error.
    requestAnimationFrame(() => render(last));
  }).observe(element);
  return () => { if (last > 0) render(last); };
}
