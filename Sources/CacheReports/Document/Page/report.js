'use strict';
// The page of a report: sorts, filters and compares its tables, draws its charts, and selects caches in all sessions
// by a bar. Names and figures come from the tables of the page; the block of data has numbers alone.
// base.js, plots.js and film.js come before.

const data = JSON.parse(document.getElementById('data').textContent);

// MARK: Tables

function makeSortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const heads = all('thead th', table);
  if (original.length < 2) return;
  heads.forEach((head, column) => {
    // A button has no links. The bar and the cells of a matrix lead to its sessions too.
    for (const link of all('a', head)) link.replaceWith(...link.childNodes);
    const button = html('button', { type: 'button', class: 'sort' }, ...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const states = head.dataset.better === 'higher' ? ['descending', 'ascending'] : ['ascending', 'descending'];
      const state = states[states.indexOf(head.getAttribute('aria-sort')) + 1];
      for (const other of heads) other.removeAttribute('aria-sort');
      if (state) head.setAttribute('aria-sort', state);
      const sign = state === 'descending' ? -1 : 1;
      const key = row => row.cells[column].dataset.value;
      const text = row => row.cells[column].textContent;
      const hasFigures = original.some(row => key(row) !== undefined);
      const order = !state ? original : [...original].sort((one, other) => {
        const [a, b] = [key(one), key(other)];
        if (!hasFigures) return sign * text(one).localeCompare(text(other), 'en', { numeric: true });
        // Rows without a figure are last in both directions.
        if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
        return sign * (a - b);
      });
      body.append(...order);
    });
  });
}

function makeFilter(table, box, changed) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 6) return;
  const count = html('output', { class: 'count' }, `${rows.length} rows`);
  const field = html('input', { type: 'search', autocomplete: 'off', spellcheck: 'false' });
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = nameOf(row).toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
    changed();
  });
  box.before(html('p', { class: 'controls filter' }, html('label', {}, 'Filter by name ', field), ' ', count));
}

// MARK: The caches of a session

// Few caches have the looks of the charts, which follow the command line, as the section of the caches does.
const inOrder = all('#caches summary h3').map(head => head.textContent);
if (inOrder.length <= COLOURS + 1) inOrder.forEach(slotOf);

function picker(selection) {
  const buttons = selection.caches.map(cache => {
    const box = html('input', { type: 'checkbox', onchange: () => selection.toggle(cache, box.checked) });
    const label = html('label', { class: 'chip' }, box, cache.name);
    return { cache, box, label };
  });
  const update = () => {
    for (const { cache, box, label } of buttons) {
      box.checked = cache.slot >= 0;
      box.setAttribute('class', cache.slot >= 0 ? colour(cache) : '');
      label.hidden = cache.row.hidden;
    }
  };
  selection.listeners.push(update);
  update();
  return html('fieldset', { class: 'controls picker' }, html('legend', {}, 'Caches in these charts'),
    html('div', { class: 'chips' }, ...buttons.map(({ label }) => label)),
    html('button', { type: 'button', onclick: () => selection.visible.forEach(cache => {
      if (cache.slot >= 0) selection.toggle(cache, false);
    }) }, 'Clear'));
}

// MARK: Differences from a baseline

// Shows the figures of all tables as differences from those of a cache, or as they are without a name.
function compare(name) {
  const { points, percent } = document.querySelector('.matrix').dataset;
  const ties = (one, other, unit) => Math.abs(one - other) <= (1 + 1e-9)
    * (unit === 'ratio' ? points / 100 : Math.min(Math.abs(one), Math.abs(other)) * percent / 100);
  const amount = (change, unit) => {
    if (!change) return '±0';
    const size = Math.abs(change);
    const share = size < 5e-5 ? '<0.01' : (size * 100).toFixed(size < 95e-5 ? 2 : 1);
    return `${change < 0 ? '−' : '+'}${unit === 'ratio' ? share : written[unit](size)}`;
  };
  for (const table of all('.matrix, .results')) {
    const units = [...table.tHead.rows[0].cells].map(head => head.dataset.unit);
    const rows = [...table.tBodies[0].rows];
    const base = rows.find(row => nameOf(row) === name);
    for (const cell of rows.flatMap(row => [...row.cells])) {
      const unit = units[cell.cellIndex];
      if (!unit || cell.dataset.value === undefined) continue;
      const node = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
      node.figure ??= node.data;
      const from = base?.cells[cell.cellIndex].dataset.value;
      const isShown = from !== undefined && cell.parentElement !== base;
      const own = Number(cell.dataset.value);
      node.data = isShown ? amount(own - from, unit) : node.figure;
      cell.classList.toggle('same', isShown && ties(own, Number(from), unit));
    }
  }
}

function addBaseline() {
  const table = document.querySelector('.matrix');
  if (!table || table.tBodies[0].rows.length < 2) return;
  const names = [...table.tBodies[0].rows].map(nameOf);
  const list = html('select', {}, html('option', { value: '' }, 'none: the figures themselves'),
    ...names.map(name => html('option', { value: name }, name)));
  const about = html('span', { class: 'count' });
  list.addEventListener('change', () => {
    compare(list.value);
    about.textContent = list.value ? ' Shares differ by points. Grey differences are within the tolerance.' : '';
  });
  table.closest('.box').before(html('p', { class: 'controls' }, html('label', {}, 'Baseline ', list), about));
}

// MARK: The bar

const MOST_CHIPS = 24;

// What is on the first screen, as Markdown of GitHub.
function markdown() {
  const text = node => (node?.textContent ?? '').trim().replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>|~#]/g, '\\$&');
  const cell = node => {
    const copy = node.cloneNode(true);
    for (const hidden of all('.said', copy)) hidden.remove();
    for (const about of all('span:not(.size)', copy)) about.prepend(' ');
    return node.classList.contains('tie') ? `**${text(copy)}**` : text(copy);
  };
  const table = document.querySelector('.matrix');
  const rows = table ? [...table.rows].map(row => `| ${[...row.cells].map(cell).join(' | ')} |`) : [];
  if (rows.length) rows.splice(1, 0, `|${' --- |'.repeat(table.rows[0].cells.length)}`);
  const boxes = all('.boxes > div').flatMap(box => [`**${text(box.querySelector('h3'))}**`, '',
    ...all('li, p', box).map(item => {
      const copy = item.cloneNode(true);
      for (const details of all('details', copy)) details.remove();
      return `- ${text(copy)}`;
    }), '']);
  return [`**${text(document.querySelector('h1'))}**`, '', text(document.querySelector('.context')), '',
    ...rows, '', ...boxes].join('\n');
}

// Draws boxes and words of elements where the browser has placed them.
function picture(elements) {
  const bounds = elements.map(element => element.getBoundingClientRect());
  const [left, top] = [bounds[0].left - 16, Math.min(...bounds.map(box => box.top)) - 16];
  const width = Math.max(...elements.flatMap(element => [element, ...all('table', element)])
    .map(element => element.getBoundingClientRect().right)) - left + 16;
  const height = Math.max(...bounds.map(box => box.bottom)) - top + 16;
  const canvas = html('canvas', { width: Math.ceil(width * 2), height: Math.ceil(height * 2) });
  const context = canvas.getContext('2d');
  context.scale(2, 2);
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--page');
  context.fillRect(0, 0, width, height);
  context.translate(-left, -top);
  context.textBaseline = 'middle';
  const isLeftOut = element => element.closest('.said, .controls');
  for (const element of elements.flatMap(element => [element, ...all('*', element)])) {
    if (isLeftOut(element)) continue;
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    context.fillStyle = style.backgroundColor;
    context.fillRect(box.left, box.top, box.width, box.height);
    if (!element.classList.contains('tie')) continue;
    context.strokeStyle = style.color;
    context.strokeRect(box.left + 0.75, box.top + 0.75, box.width - 1.5, box.height - 1.5);
  }
  for (const element of elements) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (isLeftOut(node.parentElement)) continue;
      const style = getComputedStyle(node.parentElement);
      context.font = style.font;
      context.fillStyle = style.color;
      for (const word of node.data.matchAll(/\S+/g)) {
        const range = new Range();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const box = range.getBoundingClientRect();
        context.fillText(word[0], box.left, (box.top + box.bottom) / 2);
      }
    }
  }
  return canvas.toDataURL('image/png');
}

function addBar(selections) {
  const bar = document.querySelector('nav.bar');
  const names = [...new Set(selections.flatMap(selection => selection.caches.map(cache => cache.name)))];
  const chips = names.slice(0, MOST_CHIPS).map(name => {
    const own = selections.flatMap(selection =>
      selection.caches.filter(cache => cache.name === name).map(cache => ({ selection, cache })));
    const box = html('input', { type: 'checkbox', onchange: () => {
      const isChosen = box.checked;
      for (const { selection, cache } of own) selection.toggle(cache, isChosen);
    } });
    const update = () => {
      box.checked = own.some(({ cache }) => cache.slot >= 0);
      box.setAttribute('class', box.checked ? `colour-${slotOf(name) % COLOURS}` : '');
    };
    for (const { selection } of own) selection.listeners.push(update);
    update();
    return html('label', { class: 'chip' }, box, name);
  });
  const status = html('output', { class: 'count' });
  const copy = html('button', { type: 'button', onclick: async () => {
    try {
      await navigator.clipboard.writeText(markdown());
      status.textContent = 'Copied';
    } catch { status.textContent = 'The browser does not permit copying'; }
  } }, 'Copy as Markdown');
  const save = html('button', { type: 'button', onclick: () => {
    const elements = ['header', '#overview'].map(selector => document.querySelector(selector)).filter(Boolean);
    html('a', { href: picture(elements), download: 'report.png' }).click();
  } }, 'Save picture');
  bar.append(html('span', {}, copy, ' ', save, ' ', status));
  if (chips.length > 1) {
    bar.append(html('div', { class: 'chips', role: 'group', 'aria-label': 'Caches in all charts' }, ...chips));
  }
  // The tab of the section that the reader sees.
  const links = new Map(all('ul a', bar).map(link => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) links.get(target.id).setAttribute('aria-current', 'true');
      else links.get(target.id).removeAttribute('aria-current');
    }
  }, { rootMargin: '-30% 0px -69% 0px' });
  for (const id of links.keys()) seen.observe(document.getElementById(id));
}

// MARK: The page

const selections = [];
all('.interactive').forEach((place, index) => {
  const section = place.closest('section');
  const table = section.querySelector('table.results');
  if (!table) return;
  const title = section.querySelector('h2').textContent.trim();
  const selection = new Selection(table);
  makeFilter(table, table.closest('.box'), () => selection.changed());
  makeSortable(table);
  const trace = data.traces[index];
  if (!trace) return;
  selection.chooseExtremes(trace.runs);
  selections.push(selection);
  let isDrawn = false;
  const drawCharts = () => {
    if (isDrawn) return;
    isDrawn = true;
    place.append(picker(selection), scatter(selection, title));
    for (const make of [timeline, film]) {
      const chart = make(selection, trace, title);
      if (chart) place.append(chart);
    }
  };
  const charts = place.closest('details');
  charts.addEventListener('toggle', () => { if (charts.open) drawCharts(); });
  selection.open = () => {
    charts.open = true;
    drawCharts();
  };
  // Without a script, everything is open.
  charts.open = index === 0 || data.traces.length <= 2;
  if (charts.open) drawCharts();
});
for (const details of all('details.folded')) details.open = false;
all('.matrix').forEach(makeSortable);
addBaseline();
addBar(selections);

// A link to something in a closed part opens it.
function reveal() {
  let node = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!node) return;
  const target = node;
  for (; node; node = node.parentElement) if (node.localName === 'details') node.open = true;
  // A cell of the matrix leads to a row: its cache is selected, and is the second one of what the user saw.
  for (const selection of selections) {
    const cache = selection.caches.find(cache => cache.row.contains(target));
    if (!cache) continue;
    selection.toggle(cache, true);
    selection.open();
    selection.show?.(cache);
  }
  target.scrollIntoView();
}
addEventListener('hashchange', reveal);
reveal();

// Paper shows everything.
let closed = [];
addEventListener('beforeprint', () => {
  closed = all('details:not([open], .evidence)');
  for (const details of closed) details.open = true;
});
addEventListener('afterprint', () => { for (const details of closed) details.open = false; });
document.documentElement.classList.add('ready');
