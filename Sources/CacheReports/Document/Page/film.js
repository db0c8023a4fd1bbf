'use strict';
// What the user saw: the cells of caches on phones at a moment, and over time. base.js and plots.js come before.

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
    cell.picture = run.pictures?.[run.pictured?.[cells.length]];
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

// The shortest time in seconds for which a person sees a difference. Shorter differences count if there are no others.
const SEEN = 0.1;

// The moments at which times with different numbers of blank cells of two runs begin, and the moment at which the
// greatest difference begins.
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

// The times in the background. If no event ends such a time, the next cell that appears does.
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
    if (!cell.picture || BLANK.includes(kind)) return html('span', { class: `tile ${kind}`, title: name, style }, text);
    const picture = `background-image:url(data:image/webp;base64,${cell.picture})`;
    return html('span', { class: `tile ${kind} pictured`, title: name, style },
      html('span', { class: 'picture', style: picture }), html('span', { class: 'badge' }, text));
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

// Returns the film of two caches, or of one; null without films. A selection of the playground also has:
//   caches    with `short`, a letter that stands for the name in the table and the sentence of the moment;
//   pair      the caches of the two phones, in order; else these are the least and the most blank one, to be chosen;
//   interval  the least milliseconds between two changes while the film plays, else 50.
// The selection gets functions: show(cache) on the second phone, renew(trace) for other figures of as many caches,
// which keeps a moment that a person chose, play() to play or pause, and jump(step) to a difference.
function film(selection, trace, title) {
  const filmed = () => selection.caches.filter(cache => trace.runs[cache.index]?.film);
  let caches = filmed();
  if (!caches.length) return null;
  let end, events, rows, absences, hint;
  function load() {
    end = Math.max(trace.end, 1);
    events = eventsOf(trace, end);
    const places = placesOf(trace);
    const { pictures, pictured } = trace;
    for (const run of trace.runs) if (run.film) Object.assign(run, { places, pictures, pictured });
    rows = places.length ? mostRows(trace.runs[caches[0].index]) : 0;
    absences = absencesOf(trace, trace.runs[caches[0].index]);
    const omitted = caches.map(cache => trace.runs[cache.index].film[0]).reduce((a, b) => Math.max(a, b), 0);
    hint = (rows ? 'The phones show the cells of the chosen moment in their rows'
      : 'The phones show the cells of the chosen moment in order of appearance: the session does not record rows')
      + '; a blank one counts the seconds that it waits. Below, each bar is a cell, from its appearance to its end.'
      + (omitted ? ` The last ${omitted.toLocaleString('en')} cells of the session are left out.` : '');
  }
  load();
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
  const id = `clip-${++clips}`;
  const about = html('p', { class: 'foot' }, hint);
  const tint = cache => cache.colour ?? `colour-${slotOf(cache.name) % COLOURS}`;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let drawing = null, plotWidth = 0, found = null;
  // While the film plays: the next frame, the time of the last change, and the frame and moment at which it began.
  let timer = null, before = 0, start = null;
  // Whether a person chose the moment.
  let isChosen = false;

  const panels = [...new Set(selection.pair ?? [order[0], order.at(-1)])].map((cache, number) => {
    const list = html('select', {}, ...caches.map(other =>
      html('option', { value: other.index, selected: other === cache }, other.name)));
    const canvas = html('canvas', { 'aria-hidden': 'true' });
    const tiles = html('div', { class: 'tiles' });
    const phone = html('div', { class: rows ? 'phone rows' : 'phone', role: 'img', style: `--rows:${rows}` }, tiles);
    const heads = [html('span', {}), html('p', { class: 'foot' }), html('span', { class: 'name' })];
    const now = html('span', { class: 'now' });
    const panel = { cache, canvas, tiles, phone, heads, list, now, width: 0, shows: '' };
    list.addEventListener('change', () => {
      change(panel, caches.find(other => other.index === Number(list.value)));
      redraw();
    });
    canvas.addEventListener('click', event => seekAt(event, canvas, 0, canvas.clientWidth));
    panel.node = html('div', {}, html('p', { class: 'controls' }, heads[0], caches.length > 1 && !selection.pair
      ? html('label', {}, number ? 'Second cache ' : 'First cache ', list) : heads[2]), phone);
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
      heads[2].textContent = cache.name;
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
    isChosen = true;
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
          html('th', { scope: 'row' }, html('span', { class: `swatch ${tint(cache)}` }), cache.short ?? cache.name),
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
    const edge = style.getPropertyValue('--quiet').trim();
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
      const [top, width, depth] = [cell.slot * row, Math.max(right - left, 0.75), Math.max(row - 1, 1)];
      context.fillStyle = colour;
      context.fillRect(left, top, width, depth);
      // The darkest colour, that of wrong pictures, has an edge on dark ground.
      if (dark.matches && colour === colours.wrong && width >= 3 && depth >= 3) {
        context.strokeStyle = edge;
        context.strokeRect(left + .5, top + .5, width - 1, depth - 1);
      }
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
      const text = isAway(second) ? 'in the background' : counts;
      panel.phone.setAttribute('aria-label', `${panel.cache.name}: ${text}`);
      return `${panel.cache.short ?? panel.cache.name}: ${text}`;
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
    if (next >= end || time - before >= (selection.interval ?? 50)) {
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

  showCaches();
  go(remarkable());
  selection.show = cache => {
    if (panels.length < 2 || cache === panels[0].cache || !caches.includes(cache)) return;
    change(panels[1], cache);
    panels[1].list.value = cache.index;
    seek(remarkable());
  };
  selection.renew = newer => {
    trace = newer;
    caches = filmed();
    load();
    about.textContent = hint;
    range.max = Math.ceil(end * 100);
    for (const panel of panels) {
      panel.cache = caches.find(cache => cache.index === panel.cache.index) ?? caches[0];
      panel.shows = '';
      set(panel.phone, { class: rows ? 'phone rows' : 'phone', style: `--rows:${rows}` }, []);
    }
    drawing = null;
    showCaches();
    if (isChosen || timer !== null) redraw(); else go(remarkable());
  };
  selection.play = () => play.click();
  selection.jump = jump;
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
    about,
    legend,
    html('p', { class: 'controls moment' }, play, range, ...jumps, html('label', {}, 'Show ', span)),
    readout,
    html('div', { class: 'stage' }, pair, html('div', {
      class: 'box', role: 'region', tabindex: '0', 'aria-label': `Figures of the moment of ${title}`,
    }, figures)),
    html('div', { class: 'strips' }, ...panels.map(panel => panel.strip)), plot);
}
