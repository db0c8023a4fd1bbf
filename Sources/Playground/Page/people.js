'use strict';
// A population: the figures of its people arrive in slices, and each one refines the picture.

// The first slice is small: it is the first estimate.
const FIRST = 4, SLICE = 8;
// Blank times that differ by at most a tenth of a point count as the same, until the program has the summary.
const SAME_BLANK = 0.001;
const crowd = { question: null, people: [], of: null, summary: null, since: 0, redraw: null, nodes: null };

function beginPeople(question, since) {
  const isOther = crowd.question?.session !== question.session;
  Object.assign(crowd, { question, people: [], of: null, summary: null, since });
  if (isOther || !element('cards').childElementCount) {
    element('cards').replaceChildren();
    element('headline').textContent = `Replaying the sessions of ${sessionOf(question.session).people} people …`;
  }
  channels.people.ask({ ...question, first: 0, count: FIRST }, since);
}

function takePeople(answer, { first, count, ...question }) {
  if (!isSame(question, crowd.question) || first !== crowd.people.length) return;
  crowd.people.push(...answer.people);
  crowd.of = answer.of;
  crowd.summary = answer.summary ?? null;
  if (first === 0) measure('people-first', crowd.since);
  showPeople();
  if (crowd.people.length < answer.of && answer.people.length) {
    channels.people.ask({ ...question, first: crowd.people.length, count: SLICE }, crowd.since);
  } else measure('people', crowd.since);
}

const meanOf = values => values.reduce((sum, value) => sum + value, 0) / values.length;

// The numbers of people with less and with more blank time, until the program has the summary.
function comparison() {
  const { a, b } = crowd.question;
  const changes = crowd.people.map(({ values }) => values[b] - values[a]).filter(Number.isFinite);
  const better = changes.filter(change => change < -SAME_BLANK).length;
  const worse = changes.filter(change => change > SAME_BLANK).length;
  return { better, worse, same: changes.length - better - worse };
}

function showPeople() {
  if (!crowd.nodes) {
    const plot = html('div', { class: 'plot', role: 'img' });
    crowd.nodes = {
      progress: html('progress', { 'aria-label': 'People replayed' }), sentence: html('p', { role: 'status' }), plot,
      count: html('span', { class: 'count' }), list: html('div', {}), shares: html('div', {}),
    };
    crowd.redraw = onWidth(plot, drawPeople);
    const { progress, sentence, count, list, shares } = crowd.nodes;
    element('people').replaceChildren(html('p', {}, progress, ' ', count), sentence,
      html('h2', {}, 'Blank time of each person'), plot, shares,
      html('details', {}, html('summary', {}, 'Each person'), list));
  }
  const { progress, sentence, count, plot, list } = crowd.nodes;
  const { people, of, summary, question } = crowd;
  const { a, b } = question;
  set(progress, { max: of, value: people.length }, []);
  progress.hidden = Boolean(summary);
  count.textContent = summary ? `${of} people` : `${people.length} of ${of} people so far`;
  showMeans();
  showShares();
  const mean = place => written.ratio(averageOf(place));
  element('headline').textContent = summary?.headline ?? (a === b
    ? `${letterOf(b)} leaves ${mean(b)} of the time blank on average, after ${people.length} of ${of} people.`
    : `Blank time is ${mean(a)} with ${letterOf(a)} and ${mean(b)} with ${letterOf(b)} on average, after ${
      people.length} of ${of} people.`);
  const { better, worse, same } = summary ?? comparison();
  sentence.textContent = a === b ? '' : `${letterOf(b)} is better than ${letterOf(a)} for ${better}, worse for ${
    worse}, and the same within the tolerance for ${same}.`;
  plot.setAttribute('aria-label', `Blank time of ${people.length} people: ${question.caches.map((_, place) =>
    `${letterOf(place)} on average ${mean(place)}`).join(', ')}.`);
  list.replaceChildren(tableOf('Each person', ['person', ...question.caches.map((_, place) => letterOf(place))],
    people.map(({ name, values, problem }) => [problem ? `${name}: ${problem}` : name,
      ...question.caches.map((_, place) => Number.isFinite(values[place]) ? written.ratio(values[place]) : '–')])));
  crowd.redraw();
}

const percent = value => `${(value * 100).toFixed(2)}%`;

// The mean of each cache over the people, in place of the figures of a session.
function showMeans() {
  const { a, b, caches } = crowd.question;
  element('cards').replaceChildren(...caches.map(({ base }, place) => {
    const change = averageOf(place) - averageOf(a);
    const text = Math.abs(change) < 0.00005 ? '±0'
      : `${change < 0 ? '−' : '+'}${Number(Math.abs(change * 100).toFixed(2))} points`;
    const tone = Math.abs(change) <= SAME_BLANK ? '' : change < 0 ? 'good' : 'bad';
    const role = place === a ? a === b ? '' : 'pinned' : `${text} against ${letterOf(a)}`;
    return card(`mean blank, ${letterOf(place)}`, percent(averageOf(place)), role, place === a ? '' : tone, base);
  }));
}

// The quantiles of the people, which are in the summary of the program.
function showShares() {
  const { summary, question, nodes } = crowd;
  const rows = (summary?.quantiles ?? []).map(({ share, values }) => [
    share === 0.5 ? 'half of the people: at most' : `${Number((share * 100).toFixed(1))}% of the people: at most`,
    ...question.caches.map((_, place) => Number.isFinite(values[place]) ? percent(values[place]) : '–')]);
  nodes.shares.replaceChildren(...(rows.length ? [tableOf('Blank time over the people',
    ['people', ...question.caches.map((_, place) => letterOf(place))], rows)] : []));
}

// The mean of all people from the summary of the program, and until then the mean of the people so far.
function averageOf(place) {
  const known = crowd.summary?.means?.[place];
  if (Number.isFinite(known)) return known;
  const values = crowd.people.map(({ values }) => values[place]).filter(Number.isFinite);
  return values.length ? meanOf(values) : 0;
}

// A row of dots for each cache, one above the other where they would touch, and a line at the mean.
function drawPeople(width) {
  const { people, question, nodes } = crowd;
  const left = 30, right = 16, inner = width - left - right, radius = 4, row = 74;
  const all = people.flatMap(({ values }) => values.filter(Number.isFinite));
  const most = Math.max(0.01, ...all) * 1.05;
  const placeX = value => left + value / most * inner;
  const height = question.caches.length * row + 26;
  const root = draw('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
  const grid = draw('g', { class: 'grid' });
  for (const value of ticks(0, most, inner / 80)) {
    grid.append(draw('line', { x1: placeX(value), x2: placeX(value), y1: 4, y2: height - 24 }),
      draw('text', { x: placeX(value), y: height - 8, class: 'middle' }, written.ratio(value)));
  }
  root.append(grid);
  question.caches.forEach((_, place) => {
    const base = (place + 1) * row - 8;
    root.append(draw('text', { x: 8, y: base, class: 'label' }, letterOf(place)));
    const heights = new Map();
    for (const { name, values } of people) {
      if (!Number.isFinite(values[place])) continue;
      const column = Math.round(placeX(values[place]) / (radius * 2));
      const count = heights.get(column) ?? 0;
      heights.set(column, count + 1);
      // Many dots at a place overlap.
      const y = base - radius - Math.min(count * radius * 2, row - 18);
      root.append(draw('circle', { class: `spot ${tintOf(place)}`, cx: column * radius * 2, cy: y, r: radius },
        draw('title', {}, `${name}: ${written.ratio(values[place])}`)));
    }
    const x = placeX(averageOf(place));
    root.append(draw('line', { class: `line ${tintOf(place)}`, x1: x, x2: x, y1: base - row + 14, y2: base + 4 }));
  });
  nodes.plot.replaceChildren(root);
}
