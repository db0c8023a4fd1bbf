'use strict';
// The charts of figures: one figure against another, and figures over time. base.js comes before.

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
  return linearAxis(values, unit, room);
}

// A difference within the tolerance, 0.1 points or 1 %, takes at most a tenth of the axis.
function linearAxis(values, unit, room) {
  const least = Math.min(...values), most = Math.max(...values);
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
      readout.textContent = `${shown}. Point at the timeline, or move with the arrow keys, to read figures; `
        + 'drag to zoom.';
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
          ...PANELS.map(panel =>
            html('td', {}, row < 0 ? '–' : written[panel.unit](run[panel.key][row] * panel.factor))),
          html('td', {}, run.limit ? written.bytes(run.limit) : '–'));
      })));
  }

  function render(width) {
    const { root, place, left, inner, height, top } = drawPanels(width, { view, end, events, id }, curves(), PANELS);
    frame = { left, inner };
    if (drag && drag.to !== null) {
      const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      root.append(draw('rect', {
        class: 'drag', x: place(from), y: top, width: place(to) - place(from), height: height - top - 30 }));
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
