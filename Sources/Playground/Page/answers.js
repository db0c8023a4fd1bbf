'use strict';
// The middle and the right side: what the program answers. All texts of the program are written as text.

const HEAD_FIGURES = 4;

let saying = null;
// Says something for some seconds, which a screen reader reads out.
function say(text) {
  clearTimeout(saying);
  element('said').textContent = text;
  saying = setTimeout(() => { element('said').textContent = ''; }, 6000);
}

const failed = id => answer => {
  const place = element(id);
  place.hidden = false;
  place.replaceChildren(html('p', { class: 'mistake' }, answer.error ?? 'The program gave no answer.'));
};

const channels = {
  figures: new Channel('figures', takeFigures, takeProblem),
  moves: new Channel('moves', answer => showMoves(answer), failed('moves'), 'moves'),
  curve: new Channel('curve', (...taken) => takeCurve(...taken), failed('curve'), 'curve'),
  film: new Channel('film', showFilm, failed('phones'), 'phones'),
  bound: new Channel('bound', showBound, failed('bound'), 'bound'),
  people: new Channel('people', (...taken) => takePeople(...taken), takeProblem),
  export: new Channel('export', answer => showExport(answer), answer => showExport({ problem: answer.error })),
};

let asking = null, askedAt = 0;
// Asks the question of the next frame. Requests of earlier questions are canceled.
function questionChanged(since = performance.now()) {
  askedAt = since;
  refreshControls();
  moveCurve();
  for (const channel of Object.values(channels)) channel.mark(!isSame(page.question, page.asked));
  asking ??= requestAnimationFrame(() => {
    asking = null;
    for (const channel of Object.values(channels)) if (channel !== channels.figures) channel.drop();
    channels.figures.ask(page.question, askedAt);
  });
}

// Measures how long an answer took, for scripts/bench play.
function measure(name, since) {
  if (performance.getEntriesByName(`play:${name}`).length > 2000) performance.clearMeasures(`play:${name}`);
  performance.measure(`play:${name}`, { start: since });
}

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function takeFigures(answer, question, since) {
  Object.assign(page, { answer, asked: question, problem: null });
  showFigures();
  refreshControls();
  moveCurve();
  measure('figures', since);
  if (isSame(question, page.question)) askRest();
}

// Asks for the answers that take longer than figures.
function askRest() {
  const question = page.question, since = performance.now();
  if (isPopulation()) beginPeople(question, since);
  else {
    channels.film.ask(question, since);
    if (question.a !== question.b) channels.moves.ask(question, since);
    else {
      element('moves').replaceChildren();
      channels.moves.mark(false);
    }
    channels.curve.ask(question, since);
    channels.bound.ask(question, since);
  }
  channels.export.ask(question, since);
}

function takeProblem(answer, question) {
  if (!page.answer) element('headline').textContent = 'There are no figures yet';
  page.problem = { ...answer, error: answer.error ?? 'The program gave no answer.' };
  const place = answer.cache;
  const box = element('problem');
  box.hidden = false;
  box.textContent = Number.isInteger(place) && question.caches.length > 1
    ? `Cache ${letterOf(place)}: ${page.problem.error}` : page.problem.error;
  refreshControls();
}

// MARK: Figures

// A figure in large digits, with its difference from the pinned cache.
const card = (title, figure, difference, tone = '', meaning = '') => html('div', { title: meaning },
  html('span', { class: 'quiet' }, title), html('b', {}, figure), html('em', { class: tone }, difference));

// The parts that the page shows for a session alone. For a population, the program's figures are those of its first
// person.
const OF_SESSION = ['context', 'curve', 'moves', 'phones', 'bound', 'tables'];

function showFigures() {
  const { answer, asked } = page;
  const session = sessionOf(asked.session);
  const isMany = (session?.people ?? 0) > 0;
  element('problem').hidden = true;
  element('title').textContent = asked.session;
  element('about').textContent = session?.title ?? '';
  document.title = `${asked.session} · CacheReplay playground`;
  for (const id of OF_SESSION) element(id).classList.toggle('gone', isMany);
  element('people').hidden = !isMany;
  const errors = answer.caches.map(({ error }, place) => error ? `Cache ${letterOf(place)}: ${error}` : '')
    .filter(Boolean);
  const notes = isMany ? [] : answer.notes ?? [];
  element('notes').replaceChildren(...[...errors, ...notes].map(text => html('li', {}, text)));
  element('command').textContent = answer.command ?? '';
  if (isMany) {
    element('context').textContent = '';
    makeWide(true);
    return;
  }
  // Until the film arrives, the page is as wide as it was.
  if (phones.key !== null) makeWide(!phones.selection);
  showSession(answer, asked);
}

// Without phones, the figures have the room of two columns.
const makeWide = isWide => document.querySelector('main').classList.toggle('wide', isWide);

function showSession(answer, asked) {
  const { a, b } = asked;
  const headline = element('headline');
  // A headline that is the same is not read out again.
  if (headline.textContent !== answer.headline) headline.textContent = answer.headline;
  element('context').textContent = answer.context ?? '';
  const tone = row => {
    if (a === b || !row.relevant || typeof row.good !== 'boolean') return '';
    return row.good ? 'good' : 'bad';
  };
  element('cards').replaceChildren(...answer.rows.slice(0, HEAD_FIGURES).map(row => card(row.title,
    row.texts[b] ?? '–', a === b ? '' : `${row.difference ?? '–'} against ${letterOf(a)}`, tone(row),
    row.meaning ?? '')));
  showTables(answer, asked, tone);
}

function tableOf(caption, head, rows) {
  const field = cell => html('td', cell?.tone ? { class: cell.tone } : {}, cell?.text ?? cell ?? '–');
  const row = ([first, ...cells]) => html('tr', {}, html('th', { scope: 'row' }, first), ...cells.map(field));
  return html('div', { class: 'box', role: 'region', tabindex: '0', 'aria-label': caption }, html('table', {},
    html('caption', {}, caption),
    html('thead', {}, html('tr', {}, ...head.map(text => html('th', { scope: 'col' }, text)))),
    html('tbody', {}, ...rows.map(row))));
}

function showTables(answer, { a, b }, tone) {
  const wasOpen = element('tables').querySelector('details')?.open ?? false;
  const letters = answer.caches.map((_, place) => letterOf(place));
  const rows = answer.rows.map(row => [row.title, ...letters.map((_, place) => row.texts[place]),
    ...(a === b ? [] : [{ text: row.difference ?? '–', tone: tone(row) || 'same' }])]);
  const tables = [['Why images were missing', answer.causes], ['What people waited for', answer.waits]]
    .filter(([, table]) => table?.rows?.length).map(([caption, { head, rows }]) => tableOf(caption, head, rows));
  element('tables').replaceChildren(...tables, html('details', { open: wasOpen }, html('summary', {}, 'All figures'),
    tableOf('All figures', ['figure', ...letters, ...(a === b ? [] : [`${letterOf(b)} − ${letterOf(a)}`])], rows)));
}

function showBound(answer) {
  const place = element('bound');
  place.hidden = !answer.text;
  const [, head, rest] = /^(room left:)?(.*)$/is.exec(answer.text ?? '');
  place.replaceChildren(html('b', {}, head ?? ''), rest);
}

// MARK: The phones

const phones = { key: null, selection: null };

function showFilm(answer, question, since) {
  const { trace, names } = answer;
  const { a, b } = question;
  const caches = names.map((name, index) => {
    const place = names.length === question.caches.length ? index : index === 0 ? a : b;
    const role = place === a ? place === b ? '' : ' · pinned' : place === b ? ' · now' : '';
    const text = name.replace(/^[A-D]\b[\s:·]*/, '');
    return {
      index, place, short: letterOf(place),
      name: `${letterOf(place)}${role}${text ? `: ${text}` : ''}`, colour: tintOf(place), slot: -1,
      figures: [NaN],
    };
  });
  const isFilmed = cache => cache && trace.runs[cache.index]?.film;
  const pair = [a, b].map(place => caches.find(cache => cache.place === place)).filter(isFilmed);
  const key = [question.session, a, b, pair.length, caches.map(({ place }) => place)].join();
  if (phones.key === key && phones.selection?.renew && pair.length) {
    phones.selection.caches = caches;
    phones.selection.renew(trace);
  } else {
    const isReduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const selection = { caches, pair, interval: isReduced ? 500 : 0, listeners: [], column: () => ({ index: 0 }) };
    const node = pair.length ? film(selection, trace, question.session) : null;
    Object.assign(phones, { key, selection: node ? selection : null });
    makeWide(!node);
    element('phones').replaceChildren(node ?? html('p', { class: 'quiet' },
      'This session has no cells whose images could be shown.'));
  }
  measure('film', since);
}
