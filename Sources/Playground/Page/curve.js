'use strict';
// Blank time by memory limit, and by each change from the pinned to the current cache.

const curveOf = { answer: null, question: null, redraw: null, plot: null, frame: null, node: null, foot: null };

function takeCurve(answer, question, since) {
  Object.assign(curveOf, { answer, question });
  if (!curveOf.plot) makeCurve();
  const enough = (answer.enough ?? []).map((bytes, index) => bytes && answer.curves[index]
    ? `${written.bytes(bytes)} is enough for ${letterOf(answer.curves[index].cache)}` : '').filter(Boolean);
  curveOf.foot.textContent = `${answer.limits.length} replays for each curve. A click or the arrow keys set the limit `
    + `of ${letterOf(question.b)}.${enough.length ? ` ${enough.join('; ')}: more gains nothing.` : ''}`;
  const problems = answer.curves.filter(({ problem }) => problem)
    .map(({ cache, problem }) => ` ${letterOf(cache)}: ${problem}`);
  const isRaised = scaleOf(answer.curves, 5).place(0) < 0;
  curveOf.foot.append(tieText(answer.curves, question), isRaised ? ' The axis does not begin at zero.' : '',
    ...problems);
  // The plot stays where it is, so that it keeps the focus.
  if (!curveOf.node.isConnected) element('curve').replaceChildren(curveOf.node);
  curveOf.redraw();
  measure('curve', since);
}

// The axis of blank time, on which a difference within the tolerance is small.
function scaleOf(curves, room) {
  const known = curves.flatMap(({ values }) => values.filter(Number.isFinite));
  return linearAxis(known.length ? known : [0], 'ratio', room);
}

// Says that two curves are the same within the tolerance at all limits.
function tieText(curves, { a, b }) {
  const [one, other] = [a, b].map(place => curves.find(({ cache }) => cache === place)?.values);
  if (a === b || !one || !other) return '';
  const isSameAt = (value, index) => Number.isFinite(value) && Number.isFinite(other[index])
    && Math.abs(value - other[index]) <= SAME_BLANK;
  return one.every(isSameAt) ? ` At each of these limits, ${letterOf(a)} and ${letterOf(b)} differ by at most 0.1 `
    + 'points, which is the tolerance.' : '';
}

function makeCurve() {
  const plot = html('div', { class: 'plot', tabindex: '0', role: 'slider', 'aria-label': 'Memory limit' });
  const nearest = bytes => {
    const { limits } = curveOf.answer;
    const distance = index => Math.abs(Math.log(limits[index] / bytes));
    return limits.reduce((best, _, index) => distance(index) < distance(best) ? index : best, 0);
  };
  const choose = (index, since) => {
    const { limits } = curveOf.answer;
    setRule('memory', sizeText(limits[Math.min(Math.max(index, 0), limits.length - 1)]), since);
  };
  plot.addEventListener('click', event => {
    const { left, inner, bytesAt } = curveOf.frame ?? {};
    if (!bytesAt) return;
    const share = (event.clientX - plot.getBoundingClientRect().left - left) / inner;
    choose(nearest(bytesAt(Math.min(Math.max(share, 0), 1))), event.timeStamp);
  });
  plot.addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8,
      Home: -1000, End: 1000 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const bytes = bytesOf(valueOf('memory'));
    const { limits } = curveOf.answer;
    choose((bytes === null || !isFinite(bytes) ? limits.length - 1 : nearest(bytes)) + step, event.timeStamp);
    event.preventDefault();
  });
  curveOf.plot = plot;
  curveOf.nearest = nearest;
  curveOf.redraw = onWidth(plot, drawCurve);
  curveOf.foot = html('p', { class: 'foot' });
  curveOf.node = html('div', { class: 'chart' }, html('h2', {}, 'Blank time by memory limit'), plot, curveOf.foot);
}

// Moves the marks of the limits to those of the question.
function moveCurve() { if (curveOf.answer) curveOf.redraw?.(); }

function drawCurve(width) {
  const { answer, question, plot, nearest } = curveOf;
  const { limits, curves } = answer;
  const frame = { left: 52, right: 14, top: 18, bottom: 34 };
  const height = Math.max(200, Math.min(300, width * 0.5));
  const inner = { width: width - frame.left - frame.right, height: height - frame.top - frame.bottom };
  const [low, high] = [Math.log(limits[0]), Math.log(limits.at(-1))];
  const placeX = bytes => frame.left + (Math.log(Math.min(Math.max(bytes, limits[0]), limits.at(-1))) - low)
    / (high - low || 1) * inner.width;
  const scale = scaleOf(curves, inner.height / 40);
  const placeY = value => frame.top + (1 - scale.place(value)) * inner.height;
  const root = draw('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
  const grid = draw('g', { class: 'grid' });
  for (const value of scale.marks) {
    grid.append(draw('line', { x1: frame.left, x2: frame.left + inner.width, y1: placeY(value), y2: placeY(value) }),
      draw('text', { x: frame.left - 6, y: placeY(value) + 4, class: 'end' }, written.ratio(value)));
  }
  const step = 2 ** Math.ceil(Math.log2(limits.at(-1) / limits[0]) / Math.max(inner.width / 75, 1) || 1);
  for (let bytes = limits[0]; bytes <= limits.at(-1) * 1.001; bytes *= step) {
    const isLast = placeX(bytes) + 30 > width;
    grid.append(draw('text', {
      x: isLast ? width - 4 : placeX(bytes), y: height - 8, class: isLast ? 'end' : 'middle' }, written.bytes(bytes)));
  }
  let taken = -Infinity;
  for (const { bytes, label } of [...(answer.marks ?? [])].sort((one, other) => one.bytes - other.bytes)) {
    if (!(bytes >= limits[0] && bytes <= limits.at(-1))) continue;
    const x = placeX(bytes);
    grid.append(draw('line', { x1: x, x2: x, y1: frame.top, y2: frame.top + inner.height, 'stroke-dasharray': '2 3' },
      draw('title', {}, `${label}: ${written.bytes(bytes)}`)));
    const isLate = x + label.length * 6.5 > width;
    const begin = isLate ? x - label.length * 6.5 : x;
    if (begin < taken) continue;
    taken = begin + label.length * 6.5 + 8;
    grid.append(draw('text', { x, y: 12, class: isLate ? 'end' : '' }, label));
  }
  root.append(grid);
  const said = [], spots = [];
  // The current cache is drawn last and thinner, so that both can be seen where they have the same figures.
  for (const { cache, values, texts } of [...curves].sort((one, other) =>
    (one.cache === question.b) - (other.cache === question.b))) {
    const points = values.map((value, index) => [placeX(limits[index]), placeY(value), value])
      .filter(([, , value]) => Number.isFinite(value));
    const path = points.map(([x, y], index) => `${index ? 'L' : 'M'}${x.toFixed(1)},${y.toFixed(1)}`).join('');
    const isBelow = cache !== question.b && question.a !== question.b;
    root.append(draw('path', { class: `line ${isBelow ? 'below ' : ''}${tintOf(cache)}`, d: path }));
    // The newest limit, which the answer does not have yet while the slider moves.
    const own = page.question.caches[cache];
    const text = own?.rules.memory ?? page.answer?.caches[cache]?.values?.memory;
    const bytes = bytesOf(text);
    const place = bytes === null ? null : isFinite(bytes) ? nearest(bytes) : limits.length - 1;
    if (place === null || !Number.isFinite(values[place])) continue;
    const [x, y] = [placeX(isFinite(bytes) ? bytes : limits.at(-1)), placeY(values[place])];
    if (cache === question.b) {
      root.append(draw('line', {
        class: `now-limit ${tintOf(cache)}`, x1: x, x2: x, y1: frame.top, y2: frame.top + inner.height }));
    }
    const label = `${letterOf(cache)} ${texts?.[place] ?? written.ratio(values[place])}`;
    spots.push({ cache, x, y, label });
    said.push(`${label} at ${isFinite(bytes) ? written.bytes(bytes) : 'no limit'}`);
    if (cache === question.b) set(plot, { 'aria-valuenow': place }, []);
  }
  for (const { cache, x, y } of spots) {
    root.append(draw('circle', { class: `spot ${tintOf(cache)}`, cx: x, cy: y, r: 6 }));
  }
  root.append(...labelsOf(spots, width, frame.top + 8, frame.top + inner.height - 4));
  set(plot, {
    'aria-valuemin': 0, 'aria-valuemax': limits.length - 1, 'aria-valuetext': said.join('; ') || 'no limit',
  }, []);
  if (!plot.hasAttribute('aria-valuenow')) set(plot, { 'aria-valuenow': 0 }, []);
  plot.replaceChildren(root);
  curveOf.frame = { left: frame.left, inner: inner.width, bytesAt: share => Math.exp(low + (high - low) * share) };
}

// A label stands beside its spot, above or below it, where it overlaps no other label and no spot.
function labelsOf(spots, width, top, bottom) {
  const taken = spots.map(({ x, y }) => ({ left: x - 7, right: x + 7, y }));
  // The upper ones above their spots, the others below.
  return [...spots].sort((one, other) => one.y - other.y).map(({ x, y, label }, index) => {
    const size = label.length * 7, side = index * 2 < spots.length ? 1 : -1;
    const places = [-13, 13, -28, 28, -43, 43, -58, 58].map(shift => shift * side).flatMap(shift => [
      { left: x + 9, right: x + 9 + size, y: y + shift },
      { left: x - 9 - size, right: x - 9, y: y + shift, isLate: true },
    ]).filter(box => box.left > 0 && box.right < width && box.y > top && box.y < bottom);
    const box = places.find(box => !taken.some(other =>
      other.left < box.right && box.left < other.right && Math.abs(other.y - box.y) < 14)) ?? places[0];
    if (!box) return '';
    taken.push(box);
    const x0 = box.isLate ? box.right : box.left;
    return draw('text', { class: `label ${box.isLate ? 'end' : ''}`, x: x0, y: box.y + 4 }, label);
  }).filter(Boolean);
}

// MARK: The changes from the pinned to the current cache

// From A to B, one rule after the other. A bar of a change lies between the figures before and after it.
function showMoves(answer) {
  const place = element('moves');
  const { steps } = answer;
  if (!steps?.length) { place.replaceChildren(); return; }
  const { a, b } = page.asked;
  const most = Math.max(1e-9, ...steps.map(({ value }) => value).filter(Number.isFinite));
  const bar = (from, to, tint) => draw('svg', {
    viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true',
  }, draw('rect', {
    class: tint, x: Math.min(from, to) / most * 100, y: 1, height: 8, rx: 0.6,
    width: Math.max(Math.abs(to - from) / most * 100, 0.5),
  }));
  const rows = steps.map((step, index) => {
    const isEnd = step.change === undefined || step.change === null;
    const before = isEnd ? 0 : steps[index - 1]?.value ?? 0;
    const tint = isEnd ? tintOf(index ? b : a) : !step.relevant ? 'none' : step.value < before ? 'gain' : 'loss';
    return html('tr', {}, html('th', { scope: 'row' }, step.label),
      html('td', { class: 'bar-cell' }, bar(before, step.value, tint)),
      html('td', {}, isEnd ? step.text ?? written.ratio(step.value) : step.change));
  });
  const alone = answer.alone ?? [];
  place.replaceChildren(html('h2', {}, 'Blank time after each change'),
    html('div', { class: 'box', role: 'region', tabindex: '0', 'aria-label': 'Blank time after each change' },
      html('table', { class: 'steps' }, html('thead', { class: 'said' }, html('tr', {},
        ...['change', 'bar', 'blank time'].map(text => html('th', { scope: 'col' }, text)))),
      html('tbody', {}, ...rows))),
    ...(alone.length > 1 ? [html('details', {}, html('summary', {}, 'Each change alone'),
      html('ul', {}, ...alone.map(({ label, change }) => html('li', {}, `${label}: ${change}`))))] : []));
}
