'use strict';
// The left side: session, caches, and a control for each rule that the server names.

// The largest number of values that are beside each other; more are a list.
const MOST_BESIDE = 5;
const SLIDER_STEPS = 160;
let isSameNetwork = true;
// The functions that show the question again when it changes.
let refreshers = [];

const button = (text, action, attributes = {}) =>
  html('button', { type: 'button', ...attributes, onclick: action }, text);
const option = (value, text = '', isSelected = false) => html('option', { value, selected: isSelected }, text);

// MARK: A control

let controls = 0;

// Radio buttons beside each other, or a list of many. Returns the node and a function that shows a value.
function choice(label, options, choose) {
  const name = `choice-${++controls}`;
  if (options.length > MOST_BESIDE || options.reduce((sum, { label }) => sum + label.length, 0) > 36) {
    const list = html('select', { 'aria-label': label, onchange: () => choose(list.value) },
      ...options.map(({ value, label }) => option(value, label)));
    const other = option('', '', false);
    return { node: list, show: value => {
      // A value that is not among the options is shown, and cannot be chosen.
      const isKnown = options.some(other => other.value === value);
      if (isKnown) other.remove(); else list.prepend(other);
      set(other, { value: value ?? '' }, []).textContent = value ?? '–';
      other.disabled = true;
      list.value = value ?? '';
    } };
  }
  const boxes = options.map(({ value, label }) => {
    const box = html('input', { type: 'radio', name, value, onchange: () => choose(value) });
    return { value, box, node: html('label', {}, box, html('span', {}, label)) };
  });
  return {
    node: html('div', { class: 'segments', role: 'radiogroup', 'aria-label': label }, ...boxes.map(({ node }) => node)),
    show: value => { for (const { value: own, box } of boxes) box.checked = own === value; },
  };
}

// A logarithmic slider over sizes, with marks, or a linear one over a count.
function slider(control) {
  const isSize = control.kind === 'size';
  const marks = (control.marks ?? []).map(mark => ({ ...mark, bytes: bytesOf(mark.value) }))
    .filter(({ bytes }) => bytes !== null && isFinite(bytes) && bytes > 0);
  const sizes = [...marks.map(({ bytes }) => bytes), 512e6];
  const least = isSize ? bytesOf(control.least) ?? Math.min(1e6, ...sizes) : control.least;
  const most = isSize ? bytesOf(control.most) ?? Math.max(...sizes) * 2 : control.most;
  const last = isSize ? SLIDER_STEPS : most - least;
  const placeOf = bytes => Math.round(Math.log(Math.min(Math.max(bytes, least), most) / least)
    / Math.log(most / least) * SLIDER_STEPS);
  const textAt = place => !isSize ? String(least + place)
    : place > SLIDER_STEPS ? 'unlimited' : sizeText(least * (most / least) ** (place / SLIDER_STEPS));
  const shown = text => isSize ? sizeShown(text) : text;
  const list = html('datalist', { id: `marks-${++controls}` }, ...marks.map(({ bytes }) => option(placeOf(bytes))));
  const range = html('input', {
    type: 'range', min: 0, max: last + (control.unlimited ? 1 : 0), step: 1, 'aria-label': control.label,
    list: isSize && marks.length ? list.id : undefined,
    oninput: event => setRule(control.rule, textAt(Number(range.value)), event.timeStamp),
  });
  const jumps = marks.map(({ value, label }) =>
    button(`${label} ${sizeShown(value)}`, () => setRule(control.rule, value), {
      class: 'mark-button', title: `Set ${control.label.toLowerCase()} to ${label}`,
    }));
  // Values that are no numbers, such as `none`.
  const words = (control.values ?? []).map(word => button(word, () => setRule(control.rule, word), {
    class: 'mark-button', 'aria-label': `${control.label}: ${word}`,
  }));
  const node = html('div', {}, range, list, ...(jumps.length + words.length
    ? [html('div', { class: 'jumps' }, ...jumps, ...words)] : []));
  return { node, show: text => {
    const bytes = isSize ? bytesOf(text) : text === null ? null : Number(text);
    const isKnown = bytes !== null && !Number.isNaN(bytes);
    range.classList.toggle('unknown', !isKnown);
    // A slider that a person holds keeps its place.
    if (isKnown && textAt(Number(range.value)) !== text) {
      range.value = !isSize ? bytes - least : isFinite(bytes) ? placeOf(bytes) : SLIDER_STEPS + 1;
    }
    range.setAttribute('aria-valuetext', isKnown ? shown(text) : text ?? 'not known yet');
  }, shown };
}

// What flags are called.
const FLAGS = { true: 'yes', false: 'no' };

function ruleControl(control) {
  const made = control.kind !== 'choice' ? slider(control)
    : choice(control.label, control.values.map(value => ({ value, label: FLAGS[value] ?? value })), value =>
      setRule(control.rule, value));
  // The slider says its value itself.
  const value = html('output', { 'aria-live': 'off' });
  const back = button('↺', () => setRule(control.rule, null), {
    class: 'back', 'aria-label': `${control.label}: as the cache has it`, title: 'As the cache has it',
  });
  refreshers.push(() => {
    const text = valueOf(control.rule);
    made.show(text);
    value.textContent = text === null ? '–' : made.shown?.(text) ?? FLAGS[text] ?? text;
    back.hidden = currentCache().rules[control.rule] === undefined;
  });
  return html('div', { class: 'control' },
    html('p', { class: 'head', title: control.meaning ?? undefined }, html('span', {}, control.label), value, back),
    made.node);
}

// MARK: Session and caches

function sessionControl() {
  const list = html('select', { onchange: () => change(question => {
    question.session = list.value;
    question.warnings = [];
  }) });
  const problems = html('div', {});
  const entry = ({ name, title, problem }) =>
    set(option(name, problem ? `${name}: cannot be read` : title ? `${name}: ${title}` : name),
      { disabled: Boolean(problem), title: problem ?? undefined }, []);
  const group = (label, chosen) => chosen.length ? [html('optgroup', { label }, ...chosen.map(entry))] : [];
  // Fills the list again when the program has found more sessions.
  let shown = null;
  refreshers.push(() => {
    const { sessions, problem } = page.start;
    if (sessions !== shown) {
      shown = sessions;
      list.replaceChildren(...group('Sessions', sessions.filter(session => !session.people)),
        ...group('Populations', sessions.filter(session => session.people)));
      const sentences = sessions.filter(({ problem }) => problem).map(({ name, problem }) => `${name}: ${problem}`);
      problems.replaceChildren(...[...sentences, ...(problem ? [problem] : [])]
        .map(text => html('p', { class: 'mistake' }, text)));
    }
    list.value = page.question.session;
  });
  return html('div', { class: 'control' }, html('label', {}, html('span', { class: 'head' }, 'Session'), list),
    problems);
}

const copyOf = cache => structuredClone(cache);

// Makes the pinned cache a copy of the current one, which the controls still change.
function pin() {
  if (page.question.a === page.question.b) {
    if (page.question.caches.length >= MOST_CACHES) return;
    change(question => {
      question.caches.push(copyOf(question.caches[question.b]));
      question.b = question.caches.length - 1;
    });
    say('B is a copy of A, to be changed.');
    return;
  }
  change(question => { question.caches[question.a] = copyOf(question.caches[question.b]); });
  say(`${letterOf(page.question.a)} is now what ${letterOf(page.question.b)} is.`);
}

function cacheTabs() {
  const tabs = html('div', { class: 'caches', role: 'group', 'aria-label': 'The cache that the controls change' });
  const against = html('select', { onchange: () => change(question => { question.a = Number(against.value); }) });
  const add = button('Add a cache', () => change(question => {
    question.caches.push(copyOf(question.caches[question.b]));
    question.b = question.caches.length - 1;
  }));
  const remove = button('Remove', () => change(question => {
    question.caches.splice(question.b, 1);
    if (question.a > question.b) question.a -= 1;
    question.a = Math.min(question.a, question.caches.length - 1);
    question.b = question.caches.findIndex((_, place) => place !== question.a);
    if (question.b < 0) question.b = question.a;
  }));
  const pinned = button('Pin as A (P)', pin);
  const compared = html('label', {}, 'Compare with ', against);
  refreshers.push(() => {
    const { caches, a, b } = page.question;
    const held = document.activeElement?.closest?.('.caches button')?.dataset.place;
    tabs.replaceChildren(...caches.map((cache, place) => {
      const role = [place === a ? 'pinned' : '', place === b ? 'now' : ''].filter(Boolean).join(', ');
      const settings = [...Object.entries(cache.rules).map(([rule, value]) => `${rule}: ${value}`),
        ...(isSameNetwork ? [] : [cache.network])];
      return html('button', {
        type: 'button', class: `cache ${tintOf(place)}`, 'aria-pressed': String(place === b), 'data-place': place,
        onclick: () => change(question => { question.b = place; }),
      }, html('b', {}, `${letterOf(place)}${role ? ` · ${role}` : ''}`),
      html('span', {}, [cache.base, ...settings].join('; ')));
    }));
    if (held !== undefined) tabs.querySelector(`[data-place="${held}"]`)?.focus();
    against.replaceChildren(...caches.map((cache, place) =>
      option(place, `${letterOf(place)}: ${cache.base}`, place === a)));
    compared.hidden = caches.length < 3;
    add.disabled = caches.length >= MOST_CACHES;
    remove.disabled = caches.length < 2;
    pinned.textContent = a === b ? 'Change a copy (P)' : `Pin as ${letterOf(a)} (P)`;
  });
  return html('div', { class: 'control' }, tabs, html('p', { class: 'buttons' }, pinned, add, remove), compared);
}

function baseControl() {
  const groups = [
    ['own', 'From the command'], ['libraries', 'Libraries'], ['designs', 'Designs'], ['policies', 'Policies'],
  ];
  const known = page.start.caches;
  const take = base => change(question => { Object.assign(question.caches[question.b], { base, rules: {} }); });
  const list = html('select', { onchange: () => {
    if (list.value) take(list.value); else text.focus();
  } }, ...groups.flatMap(([group, label]) => {
    const own = known.filter(cache => cache.group === group);
    return own.length ? [html('optgroup', { label }, ...own.map(({ base }) => option(base, base)))] : [];
  }), ...known.filter(cache => !groups.some(([group]) => group === cache.group)).map(({ base }) => option(base, base)),
  option('', 'own specification'));
  const mistake = html('div', { class: 'mistake', id: 'mistake', role: 'alert', hidden: true });
  const text = html('input', {
    type: 'text', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', 'aria-describedby': 'mistake',
    placeholder: 'memory: lru(64MB); disk: lru(200MB)',
    onchange: () => { if (text.value.trim()) take(text.value.trim()); },
  });
  const about = html('p', { class: 'foot' });
  refreshers.push(() => {
    const { base } = currentCache();
    const preset = known.find(cache => cache.base === base);
    list.value = preset ? base : '';
    if (document.activeElement !== text) text.value = base;
    about.textContent = preset?.about ?? '';
    const error = page.problem?.cache === page.question.b ? page.problem : null;
    mistake.hidden = !error;
    text.setAttribute('aria-invalid', String(Boolean(error)));
    // A mark below the column.
    const place = error?.column ? [html('pre', {}, `${base}\n${' '.repeat(error.column - 1)}^\n`)] : [];
    mistake.replaceChildren(...place, error?.error ?? '');
  });
  return html('div', { class: 'control' },
    html('label', {}, html('span', { class: 'head' }, 'Cache'), list),
    html('label', {}, html('span', { class: 'head' }, 'Specification'), text), mistake, about);
}

// MARK: Network, decoding, warnings

function networkControl() {
  const made = choice('Network', page.start.networks.map(({ name, label }) => ({ value: name, label })), value =>
    change(question => {
      for (const cache of isSameNetwork ? question.caches : [question.caches[question.b]]) cache.network = value;
    }));
  const box = html('input', { type: 'checkbox', checked: isSameNetwork, onchange: () => {
    isSameNetwork = box.checked;
    if (!isSameNetwork) { refreshControls(); return; }
    change(question => {
      for (const cache of question.caches) cache.network = question.caches[question.b].network;
    });
  } });
  refreshers.push(() => {
    const networks = new Set(page.question.caches.map(({ network }) => network));
    if (networks.size > 1) isSameNetwork = false;
    box.checked = isSameNetwork;
    made.show(currentCache().network);
  });
  return html('div', { class: 'control' }, html('p', { class: 'head' }, html('span', {}, 'Network')), made.node,
    html('label', { class: 'check' }, box, ' the same for all caches'));
}

// Whether libraries have the same rules of the app, such as whether a cell that disappears cancels its request.
function appControl() {
  const made = choice('Rules of the app', [
    { value: 'equal', label: 'equal for all' }, { value: 'own', label: "each library's own" },
  ], value => change(question => { question.app = value; }));
  const held = html('p', { class: 'foot' });
  refreshers.push(() => {
    const app = page.question.app ?? 'equal';
    made.show(app);
    // The sentence of the newest answer, while the choice is the one that it was asked with.
    held.textContent = page.answer && (page.asked?.app ?? 'equal') === app ? page.answer.held ?? '' : '';
    held.hidden = !held.textContent;
  });
  const title = 'equal for all: libraries whose presets only assume a rule of the app have the same value, as in '
    + "cachereplay replay. each library's own: as with --app own.";
  return html('div', { class: 'control' }, html('p', { class: 'head', title }, html('span', {}, 'Rules of the app')),
    made.node, held);
}

function deviceControl() {
  const devices = page.start.devices ?? [];
  if (!devices.length) return [];
  const list = html('select', { onchange: () => {
    const device = devices.find(({ name }) => name === list.value);
    if (device) setRule(device.rule ?? 'memory', device.memory);
    list.value = '';
  } }, option('', 'choose one to set its memory'), ...devices.map(({ name, memory, about }) =>
    set(option(name, `${name}: ${sizeShown(memory)}`), { title: about }, [])));
  return [html('label', { class: 'control' }, html('span', { class: 'head' }, 'Device'), list)];
}

function warningControl() {
  const list = html('div', { class: 'jumps' });
  const field = html('input', { type: 'number', min: 0, step: 'any', 'aria-label': 'Second of a memory warning' });
  const add = () => {
    const second = Number(field.value);
    if (field.value === '' || !(second >= 0)) return;
    field.value = '';
    change(question => { question.warnings = [...new Set([...question.warnings, second])].sort((a, b) => a - b); });
  };
  field.addEventListener('keydown', event => { if (event.key === 'Enter') add(); });
  const adding = button('Add', add);
  const shown = button('At the moment of the phones', () => {
    const moment = document.querySelector('#phones .moment input');
    if (moment) field.value = Number(moment.value) / 100;
    add();
  });
  refreshers.push(() => {
    const { warnings } = page.question;
    field.max = (sessionOf(page.question.session)?.duration_us ?? 864e8) / 1e6;
    adding.disabled = shown.disabled = warnings.length >= MOST_WARNINGS;
    list.replaceChildren(...warnings.map(second => button(`${clock(second)} ×`, () => change(question => {
      question.warnings = question.warnings.filter(other => other !== second);
    }), { 'aria-label': `Remove the memory warning at ${clock(second)}` })));
  });
  return html('div', { class: 'control' }, html('p', { class: 'head' }, html('span', {}, 'Memory warnings at second')),
    html('p', { class: 'buttons' }, field, adding, shown), list);
}

function decodeControl() {
  const box = html('input', { type: 'checkbox', onchange: () => {
    change(question => { question.decode = box.checked; });
  } });
  refreshers.push(() => { box.checked = page.question.decode; });
  return html('label', { class: 'control check' }, box, ' decoding takes time');
}

// MARK: All

// The first controls are open; the others are in a part that can be opened.
const FIRST_RULES = ['memory', 'prefetch'];

function makeControls() {
  refreshers = [];
  const rules = page.start.controls;
  const first = rules.filter(({ rule }) => FIRST_RULES.includes(rule));
  const others = rules.filter(({ rule }) => !FIRST_RULES.includes(rule));
  element('controls').replaceChildren(
    sessionControl(), cacheTabs(), baseControl(), ...first.map(ruleControl), networkControl(),
    appControl(),
    html('details', { class: 'more' }, html('summary', {}, 'More settings'),
      ...others.map(ruleControl), ...deviceControl(), decodeControl(), warningControl()));
}

function refreshControls() { for (const refresh of refreshers) refresh(); }
