'use strict';
// Sorts, filters and compares the tables of a report, draws its charts, and selects caches in all sessions by a bar.
// Names and figures come from the tables of the page and are written as text only; the block of data has numbers alone.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const data = JSON.parse(document.getElementById('data').textContent);
  const SVG = 'http://www.w3.org/2000/svg';

  function set(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === false) continue;
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
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

  // MARK: Tables

  // The name of a row's cache, with swept values.
  const nameOf = row => row.cells[0].dataset.name ?? row.cells[0].textContent.trim();

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

  // MARK: The caches that the charts of a trace show

  // The lines of caches have the colours of the charts.
  const COLOURS = 7;
  // A cache has one colour in all sessions, from its first selection on.
  const slots = new Map();
  function slotOf(name) {
    if (!slots.has(name)) slots.set(name, slots.size);
    return slots.get(name);
  }
  // Few caches have the looks of the charts, which follow the command line, as the section of the caches does.
  const inOrder = all('#caches summary h3').map(head => head.textContent);
  if (inOrder.length <= COLOURS + 1) inOrder.forEach(slotOf);
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

  // MARK: One figure against another

  function axis(values, unit, room) {
    const least = Math.min(...values), most = Math.max(...values);
    if (least > 0 && most > 20 * least) {
      const [low, high] = [Math.log10(least / 1.3), Math.log10(most * 1.3)];
      const marks = [];
      for (let power = Math.floor(low); power <= high; power++) {
        for (const factor of high - low > 3 ? [1] : [1, 2, 5]) {
          const value = factor * 10 ** power;
          if (Math.log10(value) >= low && Math.log10(value) <= high) marks.push(value);
        }
      }
      return { place: value => (Math.log10(value) - low) / (high - low), marks, isLogarithmic: true };
    }
    // A difference within the tolerance, 0.1 points or 1 %, takes at most a tenth of the axis.
    const span = Math.max(most - least, unit === 'ratio' ? 0.01 : Math.abs(most) * 0.1) || 1;
    const slack = span * 0.08 + (span - (most - least)) / 2;
    let low = least - slack, high = most + slack;
    if (least >= 0 && (low < 0 || least < (most - least) * 0.5)) low = 0;
    if (unit === 'ratio' && most <= 1) high = Math.min(high, 1);
    if (low === high) high = low + 1;
    return { place: value => (value - low) / (high - low), marks: ticks(low, high, room), isLogarithmic: false };
  }

  function scatter(selection, title) {
    const state = { x: selection.column('peak'), y: selection.column('blank'), focus: null };
    const plot = html('div', {
      class: 'plot', tabindex: '0', role: 'application',
      'aria-label': `Caches of ${title} by two figures. Arrow keys move from cache to cache, Enter selects one.`,
    });
    const readout = html('p', { class: 'readout', role: 'status' });
    const hint = 'Point at a cache, or move with the arrow keys, to read its figures. A click or Enter selects it.';
    const choose = which => {
      const list = html('select', {}, ...selection.columns.map(column =>
        html('option', { value: column.index, selected: column === state[which] }, column.title)));
      list.addEventListener('change', () => {
        state[which] = selection.columns.find(column => column.index === Number(list.value));
        redraw();
      });
      return list;
    };
    let spots = [];

    function describe(cache) {
      readout.textContent = cache
        ? `${cache.name}: ` + selection.columns.filter(column => isFinite(cache.figures[column.index]))
          .map(column => `${column.title} ${written[column.unit](cache.figures[column.index])}`).join(', ')
        : hint;
    }
    function focus(cache) { state.focus = cache; describe(cache); redraw(); }

    function render(width) {
      const height = Math.max(260, Math.min(400, width * 0.6));
      const frame = { left: 62, right: 16, top: 14, bottom: 48 };
      const inner = { width: width - frame.left - frame.right, height: height - frame.top - frame.bottom };
      const known = selection.visible.filter(cache =>
        isFinite(cache.figures[state.x.index]) && isFinite(cache.figures[state.y.index]));
      const root = draw('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
      plot.replaceChildren(root);
      if (!known.length) {
        root.append(draw('text', { x: width / 2, y: height / 2, class: 'middle' }, 'No cache has these figures.'));
        spots = [];
        return;
      }
      const values = column => known.map(cache => cache.figures[column.index]);
      const x = axis(values(state.x), state.x.unit, inner.width / 110);
      const y = axis(values(state.y), state.y.unit, inner.height / 55);
      const placeX = value => frame.left + x.place(value) * inner.width;
      const placeY = value => frame.top + (1 - y.place(value)) * inner.height;
      const grid = draw('g', { class: 'grid' });
      for (const value of x.marks) {
        grid.append(
          draw('line', { x1: placeX(value), x2: placeX(value), y1: frame.top, y2: frame.top + inner.height }),
          draw('text', { x: placeX(value), y: height - 30, class: 'middle' }, written[state.x.unit](value)));
      }
      for (const value of y.marks) {
        grid.append(
          draw('line', { x1: frame.left, x2: width - frame.right, y1: placeY(value), y2: placeY(value) }),
          draw('text', { x: frame.left - 6, y: placeY(value) + 4, class: 'end' }, written[state.y.unit](value)));
      }
      const towards = (column, less, more) => column.isLowBetter ? less : more;
      const suffix = (column, scale, less, more) => `${towards(column, less, more)}`
        + (scale.isLogarithmic ? ', logarithmic' : '');
      grid.append(draw('text', { x: width - frame.right, y: height - 8, class: 'end' },
        `${state.x.title} (${suffix(state.x, x, '← better', 'better →')})`));
      grid.append(draw('text', { x: 4, y: height - 8 },
        `${state.y.title} (${suffix(state.y, y, '↓ better', '↑ better')})`));
      root.append(grid);
      spots = known.map(cache => ({
        cache, x: placeX(cache.figures[state.x.index]), y: placeY(cache.figures[state.y.index]),
      }));
      // Chosen caches last, so that they are above the others.
      for (const { cache, x, y } of [...spots].sort((a, b) => a.cache.slot - b.cache.slot)) {
        root.append(draw('circle', {
          cx: x, cy: y, r: cache.slot >= 0 ? 6 : 4.5,
          class: (cache.slot >= 0 ? `spot ${colour(cache)}` : 'spot') + (cache === state.focus ? ' focus' : ''),
        }));
      }
      // A label stands beside its spot, or as near to it as there is room.
      const taken = spots.map(({ x, y }) => ({ left: x - 6, right: x + 6, y }));
      for (const spot of spots.filter(({ cache }) => cache.slot >= 0 || cache === state.focus)) {
        const longest = Math.max(8, Math.floor(inner.width / 14));
        const text = spot.cache.name.length > longest ? spot.cache.name.slice(0, longest - 1) + '…' : spot.cache.name;
        const size = text.length * 7;
        const boxes = [0, -14, 14, -28, 28, -42, 42, -56, 56].flatMap(shift => [
          { left: spot.x + 9, right: spot.x + 9 + size, y: spot.y + shift },
          { left: spot.x - 9 - size, right: spot.x - 9, y: spot.y + shift, isLeft: true },
        ]).filter(box =>
          box.left > frame.left && box.right < width && box.y > frame.top && box.y < frame.top + inner.height - 4);
        const box = boxes.find(box => !taken.some(other =>
          other.left < box.right && box.left < other.right && Math.abs(other.y - box.y) < 13)) ?? boxes[0];
        if (!box) continue;
        taken.push(box);
        root.append(draw('text', {
          x: box.isLeft ? box.right : box.left, y: box.y + 4, class: `label${box.isLeft ? ' end' : ''}`,
        }, text));
      }
    }
    const redraw = onWidth(plot, render);
    selection.listeners.push(redraw);

    const nearest = event => {
      const bounds = plot.getBoundingClientRect();
      const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
      const distance = spot => Math.hypot(spot.x - x, spot.y - y);
      const best = spots.reduce((best, spot) => !best || distance(spot) < distance(best) ? spot : best, null);
      return best && distance(best) < 28 ? best.cache : null;
    };
    plot.addEventListener('pointermove', event => {
      const cache = nearest(event);
      if (cache !== state.focus) focus(cache);
    });
    plot.addEventListener('pointerleave', () => { if (document.activeElement !== plot) focus(null); });
    plot.addEventListener('click', event => { const cache = nearest(event); if (cache) selection.toggle(cache); });
    plot.addEventListener('keydown', event => {
      const order = [...spots].sort((a, b) => a.x - b.x || a.y - b.y).map(({ cache }) => cache);
      const place = order.indexOf(state.focus);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step && order.length) {
        focus(order[place < 0 ? (step > 0 ? 0 : order.length - 1) : (place + step + order.length) % order.length]);
      } else if ((event.key === 'Enter' || event.key === ' ') && state.focus) selection.toggle(state.focus);
      else if (event.key === 'Escape') focus(null);
      else return;
      event.preventDefault();
    });
    plot.addEventListener('blur', () => focus(null));
    describe(null);
    return html('div', { class: 'chart' },
      html('h4', {}, 'Each cache by two figures'),
      html('p', { class: 'controls' }, html('label', {}, 'Across ', choose('x')), ' ',
        html('label', {}, 'Up ', choose('y'))),
      plot, readout);
  }

  // MARK: The timeline

  const PANELS = [
    { key: 'm', title: 'memory', unit: 'bytes', factor: 1000, height: 150 },
    { key: 'f', title: 'fetches in flight, mean', unit: 'mean', factor: 1, height: 80 },
    { key: 'b', title: 'blank cells, mean', unit: 'mean', factor: 1, height: 80, isFilled: true },
  ];
  const MARKS = {
    memory_warning: ['memory warning', '⚠'], background: ['background', '↓'], foreground: ['foreground', '↑'],
    relaunch: ['relaunch', '↻'],
  };

  let clips = 0;

  // The figures of a run, whose seconds are stored as differences.
  function unpacked(run) {
    if (!run.seconds) {
      let second = 0;
      run.seconds = run.s.map(step => second += step);
    }
    return run;
  }
  // The last row that begins at or before a second.
  function rowAt(run, second) {
    let low = 0, high = run.seconds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (run.seconds[middle] <= second) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  // The scrolls and the events of the system of a session.
  function eventsOf(trace, end) {
    const scrolls = [];
    for (const [kind, time] of trace.marks) {
      if (kind === 'scroll_began') scrolls.push([time, end]);
      else if (kind === 'scroll_ended' && scrolls.length) scrolls.at(-1)[1] = time;
    }
    // A session begins in the foreground.
    const marks = trace.marks.filter(([kind]) => MARKS[kind]);
    if (marks[0]?.[0] === 'foreground') marks.shift();
    return { scrolls, marks };
  }

  // The steps of a curve, by column of pixels: the highest figure of the column and the last one.
  function stepsOf(run, panel, view, columns) {
    if (panel.means) return panel.means(run, view.from, view.to, columns);
    const figures = run[panel.key], points = [];
    for (let row = Math.max(rowAt(run, view.from), 0); row < run.seconds.length && run.seconds[row] <= view.to; row++) {
      const column = Math.round((Math.max(run.seconds[row], view.from) - view.from) / (view.to - view.from) * columns);
      const value = figures[row] * panel.factor;
      if (points.length && points.at(-1)[0] === column) {
        points.at(-1)[1] = Math.max(points.at(-1)[1], value);
        points.at(-1)[2] = value;
      } else points.push([column, value, value]);
    }
    return points;
  }

  function drawEvents(root, back, events, view, frame) {
    const { width, height, left, top, place } = frame;
    for (const [from, to] of events.scrolls) {
      if (to < view.from || from > view.to) continue;
      back.append(draw('rect', {
        class: 'scrolling', x: place(from), y: top - 30, width: Math.max(place(to) - place(from), 1), height: 8,
      }));
    }
    if (events.scrolls.length) root.append(draw('text', { x: left - 6, y: top - 22, class: 'end' }, 'scrolling'));
    const rows = [-Infinity, -Infinity];
    for (const [kind, time] of events.marks) {
      if (time < view.from || time > view.to) continue;
      const [text, sign] = MARKS[kind];
      const x = place(time);
      back.append(draw('line', { class: `mark ${kind}`, x1: x, x2: x, y1: top - 32, y2: height - 20 },
        draw('title', {}, `${text} at ${clock(time)}`)));
      const label = `${sign} ${text}`;
      const anchor = x + label.length * 7 > width ? 'end' : 'start';
      const [begin, finish] = anchor === 'end' ? [x - label.length * 7, x] : [x, x + label.length * 7];
      const row = rows.findIndex(taken => taken < begin);
      if (row >= 0) {
        rows[row] = finish;
        root.append(draw('text', { x, y: 12 + row * 13, class: `label ${anchor}` }, label));
      }
    }
  }

  // Draws scrolls and events, and below them panels with a line for each of some curves, on one axis of time.
  function drawPanels(width, { view, end, events, id }, curves, panels) {
    const left = 62, right = 10, inner = width - left - right, top = 62, gap = 26;
    const place = second => left + (second - view.from) / (view.to - view.from) * inner;
    const height = top + panels.reduce((sum, panel) => sum + panel.height + gap, 0) + 14;
    const root = draw('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
    root.append(draw('clipPath', { id }, draw('rect', { x: left, y: 0, width: inner, height })));
    const back = draw('g', { 'clip-path': `url(#${id})` });
    root.append(back);
    drawEvents(root, back, events, view, { width, height, left, top, place });
    const columns = Math.max(1, Math.round(inner));
    let y = top;
    for (const panel of panels) {
      const paths = curves.map(curve => ({ curve, points: stepsOf(curve.run, panel, view, columns) }));
      const most = Math.max({ bytes: 1e4, ratio: 0.01 }[panel.unit] ?? 1,
        ...paths.flatMap(({ points }) => points.map(point => point[1])));
      // A limit far above the curve would flatten it: it is named instead.
      const limits = panel.key !== 'm' ? [] : curves.filter(({ run }) => run.limit);
      const near = limits.filter(({ run }) => run.limit <= most * 1.6);
      const high = Math.max(most, ...near.map(({ run }) => run.limit)) * 1.06;
      const level = value => y + panel.height * (1 - value / high);
      const grid = draw('g', { class: 'grid' });
      for (const value of ticks(0, high, panel.height / 26)) {
        grid.append(draw('line', { x1: left, x2: left + inner, y1: level(value), y2: level(value) }),
          draw('text', { x: left - 6, y: level(value) + 4, class: 'end' }, written[panel.unit](value)));
      }
      for (const value of timeTicks(view.from, view.to, inner / 90)) {
        grid.append(draw('line', { x1: place(value), x2: place(value), y1: y, y2: y + panel.height }));
        if (panel === panels.at(-1) && place(value) < left + inner - 14) {
          grid.append(draw('text', { x: place(value), y: y + panel.height + 16, class: 'middle' }, clock(value)));
        }
      }
      const distant = limits.filter(curve => !near.includes(curve));
      const far = [...new Set(distant.map(({ run }) => written.bytes(run.limit)))];
      grid.append(draw('text', { x: left + 4, y: y - 5, class: 'title' }, panel.title
        + (near.length ? ' (dotted: limit)' : '') + (far.length > 2 ? `; ${far.length} limits are above`
          : far.length ? `; above: ${far.length > 1 ? 'limits' : 'the limit'} of ${far.join(' and ')}` : '')));
      root.append(grid);
      const lines = draw('g', { 'clip-path': `url(#${id})` });
      for (const { run, colour } of near) {
        lines.append(draw('line', {
          class: `limit ${colour}`, x1: left, x2: left + inner, y1: level(run.limit), y2: level(run.limit) }));
      }
      for (const { curve, points } of paths) {
        if (!points.length) continue;
        let path = '';
        points.forEach(([column, highest, last], index) => {
          const x = left + column / columns * inner;
          path += `${index ? 'H' : 'M'}${index ? x.toFixed(1) : `${x.toFixed(1)},${level(highest).toFixed(1)}`}`;
          path += `V${level(highest).toFixed(1)}`;
          if (last !== highest) path += `V${level(last).toFixed(1)}`;
        });
        path += `H${place(Math.min(end, view.to)).toFixed(1)}`;
        // The area of blank cells is the blank time.
        if (panel.isFilled) {
          const base = `V${level(0).toFixed(1)}H${(left + points[0][0] / columns * inner).toFixed(1)}Z`;
          lines.append(draw('path', { class: `area ${curve.colour}`, d: path + base }));
        }
        lines.append(draw('path', { class: `line ${curve.colour}`, d: path, 'stroke-dasharray': curve.dash }));
      }
      root.append(lines);
      y += panel.height + gap;
    }
    return { root, place, left, inner, height, top };
  }

  function timeline(selection, trace, title) {
    if (!trace.runs.some(hasTimeline)) return null;
    const drawn = () => selection.chosen.filter(cache => hasTimeline(trace.runs[cache.index]));
    const end = Math.max(trace.end, 1);
    const view = { from: 0, to: end };
    const id = `clip-${++clips}`;
    let cursor = null, drag = null, frame = null;
    const plot = html('div', {
      class: 'plot timeline', tabindex: '0', role: 'application',
      'aria-label': `Timeline of ${title}. Left and right move the cursor, plus and minus zoom, Shift with left and `
        + 'right moves the section, 0 shows the whole session.',
    });
    const readout = html('p', { class: 'readout', role: 'status' });
    const legend = html('p', { class: 'legend' });
    const values = html('table', { class: 'values' });
    const events = eventsOf(trace, end);
    const curves = () => drawn().map(cache =>
      ({ run: unpacked(trace.runs[cache.index]), colour: colour(cache), dash: dash(cache) }));

    function zoom(from, to) {
      const width = Math.min(Math.max(to - from, Math.min(2, end)), end);
      view.from = Math.min(Math.max(from, 0), end - width);
      view.to = view.from + width;
      redraw();
    }
    function zoomBy(factor) {
      const middle = cursor !== null && cursor >= view.from && cursor <= view.to ? cursor : (view.from + view.to) / 2;
      const share = (middle - view.from) / (view.to - view.from);
      const width = (view.to - view.from) * factor;
      zoom(middle - share * width, middle + (1 - share) * width);
    }
    const move = share => zoom(view.from + (view.to - view.from) * share, view.to + (view.to - view.from) * share);

    function describe() {
      const shown = `${clock(view.from)} to ${clock(view.to)} of ${clock(end)}`;
      if (cursor === null) {
        readout.textContent = `${shown}. Point at the timeline, or move with the arrow keys, to read figures; drag to zoom.`;
        values.replaceChildren();
        return;
      }
      const now = events.marks.filter(([, time]) => Math.floor(time) === cursor).map(([kind]) => MARKS[kind][0]);
      if (events.scrolls.some(([from, to]) => from < cursor + 1 && to > cursor)) now.push('scrolling');
      readout.textContent = `At ${clock(cursor)}${now.length ? `: ${now.join(', ')}` : ''} (shown: ${shown})`;
      values.replaceChildren(
        html('thead', {}, html('tr', {}, html('th', { scope: 'col' }, 'cache'),
          ...PANELS.map(panel => html('th', { scope: 'col' }, panel.title)), html('th', { scope: 'col' }, 'limit'))),
        html('tbody', {}, ...drawn().map(cache => {
          const run = unpacked(trace.runs[cache.index]);
          const row = rowAt(run, cursor);
          return html('tr', {},
            html('th', { scope: 'row' }, html('span', { class: `swatch ${colour(cache)}` }), cache.name),
            ...PANELS.map(panel => html('td', {}, row < 0 ? '–' : written[panel.unit](run[panel.key][row] * panel.factor))),
            html('td', {}, run.limit ? written.bytes(run.limit) : '–'));
        })));
    }

    function render(width) {
      const { root, place, left, inner, height, top } = drawPanels(width, { view, end, events, id }, curves(), PANELS);
      frame = { left, inner };
      if (drag && drag.to !== null) {
        const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
        root.append(draw('rect', { class: 'drag', x: place(from), y: top, width: place(to) - place(from), height: height - top - 30 }));
      }
      if (cursor !== null && cursor >= view.from && cursor <= view.to) {
        root.append(draw('line', { class: 'cursor', x1: place(cursor), x2: place(cursor), y1: top, y2: height - 30 }));
      }
      plot.replaceChildren(root);
      legend.replaceChildren(...drawn().map(cache =>
        html('span', { class: 'chip' }, html('span', { class: `swatch ${colour(cache)}` }), cache.name)));
      describe();
    }
    const redraw = onWidth(plot, render);
    selection.listeners.push(redraw);

    const second = event => {
      const bounds = plot.getBoundingClientRect();
      const share = (event.clientX - bounds.left - frame.left) / frame.inner;
      return view.from + Math.min(Math.max(share, 0), 1) * (view.to - view.from);
    };
    plot.addEventListener('pointermove', event => {
      if (!frame) return;
      const at = second(event);
      cursor = Math.min(Math.floor(at), end);
      if (drag) drag.to = at;
      redraw();
    });
    plot.addEventListener('pointerdown', event => {
      if (!frame || event.button !== 0 || event.pointerType === 'touch') return;
      drag = { from: second(event), to: null };
      plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener('pointerup', () => {
      const done = drag;
      drag = null;
      if (done && done.to !== null && Math.abs(done.to - done.from) > (view.to - view.from) / 100) {
        zoom(Math.min(done.from, done.to), Math.max(done.from, done.to));
      } else redraw();
    });
    plot.addEventListener('pointercancel', () => { drag = null; redraw(); });
    plot.addEventListener('pointerleave', () => {
      if (document.activeElement !== plot && !drag) { cursor = null; redraw(); }
    });
    plot.addEventListener('blur', () => { cursor = null; redraw(); });
    plot.addEventListener('dblclick', () => zoom(0, end));
    plot.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
      if (step && event.shiftKey) move(step * 0.25);
      else if (step) {
        const start = cursor ?? Math.floor(view.from) - (step > 0 ? 1 : 0);
        cursor = Math.min(Math.max(start + step, 0), end);
        if (cursor < view.from || cursor > view.to) {
          const width = view.to - view.from;
          zoom(cursor - width / 2, cursor + width / 2);
        } else redraw();
      } else if (event.key === '+' || event.key === '=') zoomBy(0.5);
      else if (event.key === '-') zoomBy(2);
      else if (event.key === '0' || event.key === 'Escape') { cursor = null; zoom(0, end); }
      else if (event.key === 'Home') { cursor = 0; zoom(0, view.to - view.from); }
      else if (event.key === 'End') { cursor = end; zoom(end - (view.to - view.from), end); }
      else return;
      event.preventDefault();
    });
    const button = (text, name, action) =>
      html('button', { type: 'button', 'aria-label': name, title: name, onclick: action }, text);
    return html('div', { class: 'chart' },
      html('h4', {}, 'Timeline'),
      html('p', { class: 'controls' },
        button('+', 'Zoom in', () => zoomBy(0.5)), button('−', 'Zoom out', () => zoomBy(2)),
        button('←', 'Earlier', () => move(-0.25)), button('→', 'Later', () => move(0.25)),
        button('whole session', 'Show the whole session', () => zoom(0, end))),
      plot, legend, readout, html('div', { class: 'box' }, values));
  }

  // MARK: The film: what the user saw

  // The kinds of cells with an image, and of cells that never get one, in the order of the sources in the data.
  const SHOWN = ['memory', 'disk', 'network', 'network', 'blank', 'blank', 'failed', 'wrong'];
  const NEVER = ['blank', 'blank', 'blank', 'blank', 'blank', 'blank', 'failed', 'wrong'];
  const KINDS = [
    ['memory', 'M', 'from memory'], ['disk', 'D', 'from disk'], ['network', 'N', 'from the network'],
    ['stale', 'S', 'from a cache, past its lifetime'], ['blank', '', 'blank'],
    ['failed', '×', 'blank: the fetch failed'], ['wrong', '!', 'blank: the picture of another key'],
  ];
  const BLANK = ['blank', 'failed', 'wrong'];
  const MOST_TILES = 60;
  // The width of the screen, of which cells are parts, as in the figure of the blank area.
  const SCREEN = 5040;

  // The places of the cells of a session in its list, in order of appearance; none if the list was not recorded.
  function placesOf(trace) {
    const numbers = trace.places ?? [], places = [];
    let row = 0;
    for (let index = 0; index < numbers.length; index += 3) {
      const [step, column, columns] = numbers.slice(index, index + 3);
      row += step;
      places.push({ row, column, columns: Math.abs(columns), isOpened: columns < 0 });
    }
    return places;
  }

  // The cells of a run, in order of appearance, in seconds. A cell takes the lowest slot that is free.
  function cellsOf(run) {
    if (run.cells) return run.cells;
    const [, ...numbers] = run.film;
    const cells = [], ends = [];
    let time = 0;
    for (let index = 0; index < numbers.length; index += 4) {
      const [step, image, end, code] = numbers.slice(index, index + 4);
      time += step;
      const from = time / 1e6;
      const cell = {
        from, shown: image ? from + (image - 1) / 1e6 : Infinity, to: end ? from + (end - 1) / 1e6 : Infinity,
        source: code >> 1, isStale: code % 2 === 1,
      };
      let slot = ends.findIndex(end => end <= cell.from);
      if (slot < 0) slot = ends.length;
      ends[slot] = cell.to;
      cell.slot = slot;
      cell.place = run.places?.[cells.length];
      cell.area = Math.floor(SCREEN / (cell.place?.columns ?? 1)) ** 2;
      cells.push(cell);
    }
    run.slots = ends.length;
    run.cells = cells;
    return cells;
  }
  function kindOf(cell, second) {
    if (second < cell.shown) return isFinite(cell.shown) ? 'blank' : NEVER[cell.source];
    return cell.isStale ? 'stale' : SHOWN[cell.source];
  }
  const visibleAt = (run, second) =>
    cellsOf(run).filter(cell => cell.from <= second && second < cell.to).sort((a, b) => a.slot - b.slot);
  const hundredths = second => Math.ceil(second * 100 - 1e-6);
  const clockHundredths = second => `${clock(second)}.${String(Math.floor(second * 100 + 1e-6) % 100).padStart(2, '0')}`;

  // The moment with the most blank cells.
  function worstMoment(run) {
    const changes = cellsOf(run).flatMap(cell =>
      [[cell.from, 1], [Math.min(cell.shown, cell.to), -1]]).filter(([time]) => isFinite(time));
    changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    let blank = 0, most = 0, moment = 0;
    for (const [time, change] of changes) {
      blank += change;
      if (blank > most) [most, moment] = [blank, time];
    }
    return moment;
  }

  // The time in seconds that a person sees. Shorter differences count if there are no others.
  const SEEN = 0.1;

  // The moments from which on two runs have different numbers of blank cells, and that before the time with the
  // greatest difference.
  function differences(one, other) {
    const changes = [[one, 1], [other, -1]].flatMap(([run, sign]) => cellsOf(run).flatMap(cell =>
      [[cell.from, sign], [Math.min(cell.shown, cell.to), -sign]])).filter(([time]) => isFinite(time));
    changes.sort((a, b) => a[0] - b[0]);
    const levels = [];
    let sum = 0;
    changes.forEach(([time, change], index) => {
      sum += change;
      if (changes[index + 1]?.[0] !== time && sum !== (levels.at(-1)?.[1] ?? 0)) levels.push([time, sum]);
    });
    const next = index => levels[index + 1]?.[0] ?? Infinity;
    const spans = [];
    let most = 0, greatest;
    levels.forEach(([time, level], index) => {
      if (!level) return;
      if (!levels[index - 1]?.[1]) spans.push([time, 0]);
      spans.at(-1)[1] = next(index);
      let area = 0;
      for (let later = index; later < levels.length && levels[later][0] < time + SEEN; later++) {
        area += Math.abs(levels[later][1]) * (Math.min(next(later), time + SEEN) - levels[later][0]);
      }
      if (area > most * (1 + 1e-9)) [most, greatest] = [area, time];
    });
    // The page shows hundredths of a second, at which a very short difference may be over.
    const shown = spans.filter(([from, to]) => hundredths(from) / 100 < to);
    const seen = shown.filter(([from, to]) => to - from >= SEEN);
    return { moments: (seen.length ? seen : shown).map(([from]) => from), greatest };
  }

  // The most rows of the list that are visible at a time.
  function mostRows(run) {
    const changes = cellsOf(run).filter(cell => cell.place && !cell.place.isOpened)
      .flatMap(cell => [[cell.from, cell.place.row, 1], [cell.to, cell.place.row, -1]]);
    changes.sort((a, b) => a[0] - b[0] || a[2] - b[2]);
    const counts = new Map();
    let most = 1;
    for (const [, row, change] of changes) {
      counts.set(row, (counts.get(row) ?? 0) + change);
      if (!counts.get(row)) counts.delete(row);
      most = Math.max(most, counts.size);
    }
    return most;
  }

  // The times in the background, which end with the next cell if nothing else says so.
  const absencesOf = (trace, run) => trace.marks.filter(([kind]) => kind === 'background').map(([, from]) => [from,
    Math.min(trace.marks.find(([kind, time]) => kind === 'foreground' && time >= from)?.[1] ?? Infinity,
      cellsOf(run).find(cell => cell.from > from)?.from ?? Infinity)]);

  // The share of the area of the visible cells that is blank: moments, and the share from each on. An image that is
  // opened over the list is the screen, and in the background nothing is blank.
  function blankSteps(run, trace) {
    if (run.blankSteps) return run.blankSteps;
    const changes = cellsOf(run).flatMap(({ from, shown, to, area, place }) => {
      const layer = place?.isOpened ? 'opened' : 'list';
      return [[from, layer, area, area], [Math.min(shown, to), layer, 0, -area], [to, layer, -area, 0]];
    });
    for (const [from, to] of absencesOf(trace, run)) changes.push([from, 'away', 1, 0], [to, 'away', -1, 0]);
    changes.sort((a, b) => a[0] - b[0]);
    const sums = { list: [0, 0], opened: [0, 0], away: [0, 0] };
    run.blankSteps = [];
    changes.forEach(([time, layer, visible, blank], index) => {
      sums[layer][0] += visible;
      sums[layer][1] += blank;
      if (!isFinite(time) || changes[index + 1]?.[0] === time) return;
      const [all, empty] = sums.opened[0] > 0 ? sums.opened : sums.list;
      const share = sums.away[0] > 0 || !(all > 0) ? 0 : empty / all;
      if (share !== (run.blankSteps.at(-1)?.[1] ?? 0)) run.blankSteps.push([time, share]);
    });
    return run.blankSteps;
  }
  // The means of the blank share in equal parts of a section, as steps of a curve.
  function blankMeans(steps, from, to, count) {
    const means = new Array(count).fill(0), width = (to - from) / count;
    steps.forEach(([time, share], index) => {
      if (!share) return;
      const begin = Math.max((time - from) / width, 0);
      const finish = Math.min(((steps[index + 1]?.[0] ?? to) - from) / width, count);
      for (let part = Math.floor(begin); part < finish; part++) {
        means[part] += share * (Math.min(part + 1, finish) - Math.max(part, begin));
      }
    });
    return means.map((mean, part) => [part, mean, mean]).filter(([part, mean]) => !part || mean !== means[part - 1]);
  }

  // What a phone shows at a moment: cells in their rows, or in order of their slots if the list was not recorded.
  function screenOf(cells, second) {
    const tile = (cell, style) => {
      const kind = kindOf(cell, second);
      const [, sign, name] = KINDS.find(([other]) => other === kind);
      // A cell that waits has a clock.
      const text = kind === 'blank' ? Math.max(second - cell.from, 0).toFixed(1) : sign;
      return html('span', { class: `tile ${kind}`, title: name, style }, text);
    };
    if (!cells.some(cell => cell.place)) {
      const more = cells.length - MOST_TILES;
      return [...cells.slice(0, MOST_TILES).map(cell => tile(cell)), ...(more > 0 ? [` and ${more} more`] : [])];
    }
    const opened = cells.filter(cell => cell.place?.isOpened);
    // Cells of images that the list does not have are last.
    const row = ({ place }) => place && place.row >= 0 ? place.row : Infinity;
    const screen = opened.length ? opened : [...cells].sort((a, b) => row(a) - row(b) || a.slot - b.slot);
    const rows = [];
    for (const cell of screen) {
      if (!opened.length && rows.length && row(rows.at(-1)[0]) === row(cell)) rows.at(-1).push(cell);
      else rows.push([cell]);
    }
    return rows.map(cells => {
      const taken = new Set();
      const columns = opened.length ? 1 : cells[0].place?.columns ?? 1;
      return html('span', { class: opened.length ? 'row opened' : 'row', style: `--columns:${columns}` },
        ...cells.map(cell => {
          const column = cell.place?.column;
          // Of two cells at one place, the second one takes the next free one.
          const isFree = !opened.length && isFinite(row(cell)) && !taken.has(column);
          taken.add(column);
          return tile(cell, isFree ? `grid-column:${column + 1}` : undefined);
        }));
    });
  }

  function film(selection, trace, title) {
    const caches = selection.caches.filter(cache => trace.runs[cache.index]?.film);
    if (!caches.length) return null;
    const end = Math.max(trace.end, 1);
    const blank = selection.column('blank').index;
    const rank = cache => isFinite(cache.figures[blank]) ? cache.figures[blank] : Number.MAX_VALUE;
    const order = [...caches].sort((a, b) => rank(a) - rank(b));
    // In hundredths of a second: the image of a fast cache is blank for less than a tenth.
    const range = html('input', {
      type: 'range', min: 0, max: Math.ceil(end * 100), step: 1, 'aria-label': `Moment of ${title}`,
    });
    const span = html('select', {}, ...[['whole session', 0], ['60 s', 60], ['10 s', 10]].map(([name, value]) =>
      html('option', { value }, name)));
    const readout = html('p', { class: 'readout', role: 'status' });
    const play = html('button', { type: 'button' }, 'Play');
    const legend = html('p', { class: 'sources' });
    const figures = html('table', { class: 'moments' });
    const plot = html('div', { class: 'plot axis', role: 'img' });
    const events = eventsOf(trace, end);
    const id = `clip-${++clips}`;
    const places = placesOf(trace);
    for (const run of trace.runs) if (run.film) run.places = places;
    const rows = places.length ? mostRows(trace.runs[caches[0].index]) : 0;
    const tint = cache => `colour-${slotOf(cache.name) % COLOURS}`;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    let drawing = null, plotWidth = 0, found = null;
    // While the film plays: the next frame, the time of the last change, and the frame and moment at which it began.
    let timer = null, before = 0, start = null;

    const panels = [...new Set([order[0], order.at(-1)])].map((cache, number) => {
      const list = html('select', {}, ...caches.map(other =>
        html('option', { value: other.index, selected: other === cache }, other.name)));
      const canvas = html('canvas', { 'aria-hidden': 'true' });
      const tiles = html('div', { class: 'tiles' });
      const phone = html('div', { class: rows ? 'phone rows' : 'phone', role: 'img', style: `--rows:${rows}` }, tiles);
      const heads = [html('span', {}), html('p', { class: 'foot' })];
      const now = html('span', { class: 'now' });
      const panel = { cache, canvas, tiles, phone, heads, list, now, width: 0, shows: '' };
      list.addEventListener('change', () => {
        change(panel, caches.find(other => other.index === Number(list.value)));
        redraw();
      });
      canvas.addEventListener('click', event => seekAt(event, canvas, 0, canvas.clientWidth));
      panel.node = html('div', {}, html('p', { class: 'controls' }, heads[0], caches.length > 1
        ? html('label', {}, number ? 'Second cache ' : 'First cache ', list) : cache.name), phone);
      panel.strip = html('div', {}, heads[1], html('div', { class: 'strip' }, canvas, now));
      onWidth(canvas.parentElement, width => { panel.width = width; redraw(); });
      return panel;
    });

    function change(panel, cache) {
      panel.cache = cache;
      showCaches();
    }
    // Shows what depends on the caches alone.
    function showCaches() {
      drawLegend();
      nameCaches();
      found = panels.length > 1 ? differences(...runs()) : { moments: [] };
      for (const button of jumps) button.disabled = !found.moments.length;
    }
    function nameCaches() {
      for (const { cache, heads } of panels) {
        heads[0].setAttribute('class', `swatch ${tint(cache)}`);
        heads[1].replaceChildren(html('span', { class: `swatch ${tint(cache)}` }), ` ${cache.name}: its cells`);
      }
      plot.setAttribute('aria-label', `Scrolling, events of the system, blank area, memory and fetches of ${
        panels.map(({ cache }) => cache.name).join(' and ')} over time. The table has the figures of the moment.`);
    }
    const runs = () => panels.map(panel => trace.runs[panel.cache.index]);
    // The moment with the greatest difference of two caches, or with the most blank cells of one.
    const remarkable = () => found.greatest ?? worstMoment(runs().at(-1));
    function jump(direction) {
      const places = found.moments.map(hundredths);
      const place = direction > 0 ? places.find(place => place > Number(range.value))
        : places.findLast(place => place < Number(range.value));
      if (place !== undefined) seek(place / 100);
    }
    const jumps = panels.length < 2 ? [] : [[-1, 'Previous difference'], [1, 'Next difference']].map(([step, text]) =>
      html('button', { type: 'button', onclick: () => jump(step) }, text));
    const moment = () => Number(range.value) / 100;
    // The section of the session that the strips show.
    function shown() {
      const length = Math.min(Number(span.value) || end, end);
      const from = Math.min(Math.max(moment() - length / 2, 0), end - length);
      return [from, from + length];
    }
    function go(second) {
      range.value = Math.min(Math.max(hundredths(second), 0), Number(range.max));
      redraw();
    }
    // A film that plays continues from the moment that the user chose.
    function seek(second) {
      start = null;
      go(second);
    }
    function seekAt(event, element, left, width) {
      const [from, to] = shown();
      const share = (event.clientX - element.getBoundingClientRect().left - left) / width;
      seek(from + Math.min(Math.max(share, 0), 1) * (to - from));
    }
    plot.addEventListener('click', event => { if (drawing) seekAt(event, plot, drawing.left, drawing.inner); });
    onWidth(plot, width => { plotWidth = width; redraw(); });

    // What both caches leave at zero all the time has no panel.
    const parts = () => [
      { title: 'blank area', unit: 'ratio', height: 70, isFilled: true,
        means: (run, from, to, count) => blankMeans(blankSteps(run, trace), from, to, count) },
      { ...PANELS[0], height: 70 }, { ...PANELS[1], height: 50 },
    ].filter(({ key }) => !key || runs().some(run => run[key].some(value => value > 0)));

    // Draws the axis anew if it shows something else, and moves its cursor.
    function drawAxis(from, to) {
      const shows = [plotWidth, from, to, ...panels.map(({ cache }) => cache.index)].join();
      if (drawing?.shows !== shows) {
        const curves = panels.map(({ cache }, number) =>
          ({ run: unpacked(trace.runs[cache.index]), colour: tint(cache), dash: number ? '8 4' : '' }));
        drawing = drawPanels(plotWidth, { view: { from, to }, end, events, id }, curves, parts());
        const cursor = draw('line', { class: 'cursor', y1: drawing.top - 34, y2: drawing.height - 30 });
        drawing.root.append(cursor);
        plot.replaceChildren(drawing.root);
        Object.assign(drawing, { shows, cursor });
      }
      const x = drawing.place(moment());
      set(drawing.cursor, { x1: x, x2: x }, []);
    }

    const isIn = second => ([from, to]) => from <= second && second < to;
    const isAway = second => absences.some(isIn(second));
    // The figures of the moment, and what happens then.
    function drawFigures(second) {
      const kept = parts().filter(part => part.key);
      const hasLimit = kept.some(part => part.key === 'm') && runs().some(run => run.limit);
      const now = events.marks.filter(([kind, time]) => kind !== 'background' && time <= second && second < time + 1)
        .map(([kind]) => MARKS[kind][0]);
      if (events.scrolls.some(isIn(second))) now.push('scrolling');
      if (isAway(second)) now.push('in the background');
      const titles = ['cache', 'blank area', ...kept.map(part => part.title), ...(hasLimit ? ['limit'] : [])];
      figures.replaceChildren(html('caption', {}, now.length ? `Now: ${now.join(', ')}` : 'Now'),
        html('thead', {}, html('tr', {}, ...titles.map(name => html('th', { scope: 'col' }, name)))),
        html('tbody', {}, ...panels.map(({ cache }) => {
          const run = unpacked(trace.runs[cache.index]);
          const row = rowAt(run, second);
          const blank = blankSteps(run, trace).findLast(([time]) => time <= second)?.[1] ?? 0;
          return html('tr', {},
            html('th', { scope: 'row' }, html('span', { class: `swatch ${tint(cache)}` }), cache.name),
            html('td', {}, written.ratio(blank)),
            ...kept.map(part => html('td', {}, row < 0 ? '–' : written[part.unit](run[part.key][row] * part.factor))),
            ...(hasLimit ? [html('td', {}, run.limit ? written.bytes(run.limit) : '–')] : []));
        })));
    }

    function drawLegend() {
      const seen = new Set(['blank']);
      for (const panel of panels) {
        for (const cell of cellsOf(trace.runs[panel.cache.index])) {
          // The image of a cell that vanishes at the same moment, or before, is not seen.
          if (cell.to > cell.from) seen.add(kindOf(cell, cell.shown < cell.to ? cell.shown : cell.from));
        }
      }
      legend.replaceChildren(...KINDS.filter(([kind]) => seen.has(kind)).map(([kind, sign, name]) =>
        html('span', { class: 'chip' }, html('span', { class: `tile ${kind}`, 'aria-hidden': 'true' }, sign), name)));
    }

    // Draws the cells anew if the strip shows something else, and moves its cursor.
    function drawStrip(panel, from, to) {
      panel.now.style.left = `${(moment() - from) / (to - from) * 100}%`;
      const shows = [panel.width, from, to, panel.cache.index, dark.matches].join();
      if (panel.shows === shows) return;
      panel.shows = shows;
      const run = trace.runs[panel.cache.index];
      const cells = cellsOf(run);
      const style = getComputedStyle(panel.canvas);
      const colours = Object.fromEntries(KINDS.map(([kind]) => [kind, style.getPropertyValue(`--film-${kind}`).trim()]));
      const slots = Math.max(run.slots, 1);
      const height = Math.min(Math.max(slots * 5, 40), 120);
      const scale = window.devicePixelRatio || 1;
      panel.canvas.width = panel.width * scale;
      panel.canvas.height = height * scale;
      panel.canvas.style.height = `${height}px`;
      const context = panel.canvas.getContext('2d');
      context.scale(scale, scale);
      const place = second => (second - from) / (to - from) * panel.width;
      const row = height / slots;
      const bar = (cell, begin, finish, colour) => {
        const [left, right] = [place(Math.max(begin, from)), place(Math.min(finish, to, end))];
        if (right < 0 || left > panel.width || finish <= begin) return;
        context.fillStyle = colour;
        context.fillRect(left, cell.slot * row, Math.max(right - left, 0.75), Math.max(row - 1, 1));
      };
      // Blank parts last, so that short ones are not hidden.
      for (const cell of cells) {
        if (cell.from > to || cell.to < from) continue;
        if (cell.shown < cell.to) bar(cell, cell.shown, cell.to, colours[kindOf(cell, cell.shown)]);
      }
      for (const cell of cells) {
        if (cell.from > to || cell.to < from) continue;
        bar(cell, cell.from, Math.min(cell.shown, cell.to), colours[kindOf(cell, cell.from)]);
      }
    }

    function redraw() {
      const second = moment();
      const [from, to] = shown();
      const texts = panels.map(panel => {
        if (panel.width) drawStrip(panel, from, to);
        const cells = visibleAt(trace.runs[panel.cache.index], second);
        panel.tiles.replaceChildren(...(isAway(second) ? ['in the background'] : screenOf(cells, second)));
        const kinds = cells.map(cell => kindOf(cell, second));
        const count = kinds.filter(kind => BLANK.includes(kind)).length;
        const counts = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, ${count} blank`;
        const text = `${panel.cache.name}: ${isAway(second) ? 'in the background' : counts}`;
        panel.phone.setAttribute('aria-label', text);
        return text;
      });
      if (plotWidth) drawAxis(from, to);
      drawFigures(second);
      readout.textContent = `At ${clockHundredths(second)}. ${texts.join('; ')}.`;
      range.setAttribute('aria-valuetext', clockHundredths(second));
    }

    function step(time) {
      if (!timer) return;
      start ??= { time, moment: moment() };
      const next = Math.min(start.moment + (time - start.time) / 1000, end);
      if (next >= end || time - before >= 50) {
        before = time;
        go(next);
      }
      if (next >= end) return stop();
      timer = requestAnimationFrame(step);
    }
    function stop() {
      cancelAnimationFrame(timer);
      timer = null;
      play.textContent = 'Play';
      readout.ariaLive = 'polite';
    }
    play.addEventListener('click', () => {
      if (timer) return stop();
      if (moment() >= end) go(0);
      start = null;
      play.textContent = 'Pause';
      // Twenty changes a second are too many to read out.
      readout.ariaLive = 'off';
      timer = requestAnimationFrame(step);
    });
    range.addEventListener('input', () => seek(moment()));
    // The keys of a range would move by a hundredth.
    range.addEventListener('keydown', event => {
      const steps = { ArrowRight: 0.1, ArrowUp: 0.1, ArrowLeft: -0.1, ArrowDown: -0.1, PageUp: 1, PageDown: -1 };
      const step = steps[event.key];
      if (!step) return;
      seek(moment() + step);
      event.preventDefault();
    });
    span.addEventListener('change', () => redraw());
    dark.addEventListener('change', () => redraw());

    const omitted = caches.map(cache => trace.runs[cache.index].film[0]).reduce((a, b) => Math.max(a, b), 0);
    const absences = absencesOf(trace, trace.runs[caches[0].index]);
    showCaches();
    go(remarkable());
    selection.show = cache => {
      if (panels.length < 2 || cache === panels[0].cache || !caches.includes(cache)) return;
      change(panels[1], cache);
      panels[1].list.value = cache.index;
      seek(remarkable());
    };
    const pair = html('div', { class: 'pair' }, ...panels.map(panel => panel.node));
    if (panels.length > 1) {
      set(pair, { tabindex: '0', role: 'group', 'aria-label': 'Two caches at one moment. Space plays, and left and right '
        + 'move to the previous and the next difference.', onkeydown: event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (event.target !== pair || !step && event.key !== ' ') return;
        if (step) jump(step); else play.click();
        event.preventDefault();
      } }, []);
    }
    return html('div', { class: 'chart film' },
      html('h4', {}, 'What the user saw'),
      html('p', { class: 'foot' }, (rows ? 'The phones show the cells of the chosen moment in their rows'
        : 'The phones show the cells of the chosen moment in order of appearance: the session does not record rows')
        + '; a blank one counts the seconds that it waits. Below, each bar is a cell, from its appearance to its end.'
        + (omitted ? ` The last ${omitted.toLocaleString('en')} cells of the session are left out.` : '')),
      legend,
      html('p', { class: 'controls moment' }, play, range, ...jumps, html('label', {}, 'Show ', span)),
      readout,
      html('div', { class: 'stage' }, pair, html('div', {
        class: 'box', role: 'region', tabindex: '0', 'aria-label': `Figures of the moment of ${title}`,
      }, figures)),
      html('div', { class: 'strips' }, ...panels.map(panel => panel.strip)), plot);
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
})();
