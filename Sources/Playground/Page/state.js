'use strict';
// What the page asks: one question, which is kept in the address, so that a link is the whole state.
//
// The question is as the server takes it:
// {session, caches: [{base, rules, network}], a, b, warnings, decode, seed, app}.
// `a` is the place of the pinned cache, and `b` that of the cache that the controls change. `app` is `equal` if
// libraries have the same rules of the app, and `own` if each has its own.

const MOST_CACHES = 4, MOST_WARNINGS = 20, MOST_LINK = 16_384;
const APP_CHOICES = ['equal', 'own'];

// `answer` is the newest one about figures, and `asked` its question.
const page = { start: null, question: null, answer: null, asked: null };

const element = id => document.getElementById(id);
const letterOf = place => 'ABCD'[place];
const tintOf = place => `colour-${place % COLOURS}`;
const currentCache = () => page.question.caches[page.question.b];
const sessionOf = name => page.start.sessions.find(session => session.name === name);
const isPopulation = () => (sessionOf(page.question.session)?.people ?? 0) > 0;

// Changes the question by a function, and asks it. The time is that of what the person did.
function change(edit, since = performance.now()) {
  const next = structuredClone(page.question);
  edit(next);
  page.question = next;
  remember();
  questionChanged(since);
}

// Sets a rule of the current cache, or removes it with null: then the cache has the value of its base.
function setRule(rule, value, since) {
  change(question => {
    const rules = question.caches[question.b].rules;
    if (value === null) delete rules[rule]; else rules[rule] = value;
  }, since);
}

// The value that a control shows: what is set, or what the cache has by its base as the newest answer says. A rule that
// is held equal in all libraries has the value of the answer.
function valueOf(rule) {
  const { rules, base } = currentCache();
  const { b } = page.question;
  const answer = page.asked?.caches[b]?.base === base ? page.answer?.caches[b] : null;
  if (rules[rule] !== undefined && !(answer?.held === rule && isSame(page.asked, page.question))) return rules[rule];
  return answer?.values?.[rule] ?? null;
}

// MARK: Sizes

const SIZE_UNITS = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

// The bytes of a text such as `48MB` or `lru(48MB)`; Infinity of `unlimited`, and null of a text without a size.
function bytesOf(text) {
  if (text === null || text === undefined) return null;
  if (text === 'unlimited') return Infinity;
  const found = /(\d+(?:\.\d+)?)\s*(TB|GB|MB|kB|KiB|MiB|GiB|B)\b/.exec(text);
  return found ? Number(found[1]) * SIZE_UNITS[found[2]] : null;
}
// A size with three digits, as specifications have it.
function sizeText(bytes) {
  if (!isFinite(bytes)) return 'unlimited';
  const units = [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']];
  const [factor, unit] = units.find(([factor]) => bytes >= factor * 0.9995) ?? [1, 'B'];
  return `${Number((bytes / factor).toPrecision(3))}${unit}`;
}
const sizeShown = text => isFinite(bytesOf(text) ?? NaN) ? written.bytes(bytesOf(text)) : text;

// MARK: The link

function encoded(question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// The question of a link, or null if the text is none. What the names mean is for the server to check.
function decoded(text) {
  if (!text || text.length > MOST_LINK) return null;
  try {
    const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, letter => letter.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch { return null; }
}

function checked(value) {
  const isText = text => typeof text === 'string' && text.length <= 16384;
  const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
  const isPlace = place => Number.isInteger(place) && place >= 0 && place < value.caches.length;
  if (!isObject(value) || !sessionOf(value.session)) return null;
  if (!Array.isArray(value.caches) || !value.caches.length || value.caches.length > MOST_CACHES) return null;
  const areCaches = value.caches.every(cache => isObject(cache) && isText(cache.base) && isObject(cache.rules)
    && Object.values(cache.rules).every(isText) && page.start.networks.some(({ name }) => name === cache.network));
  if (!areCaches || !isPlace(value.a) || !isPlace(value.b)) return null;
  const areWarnings = Array.isArray(value.warnings) && value.warnings.length <= MOST_WARNINGS
    && value.warnings.every(second => Number.isFinite(second) && second >= 0);
  if (!areWarnings || typeof value.decode !== 'boolean' || !Number.isSafeInteger(value.seed)) return null;
  if (!APP_CHOICES.includes(value.app)) return null;
  return {
    session: value.session,
    caches: value.caches.map(({ base, rules, network }) => ({ base, rules: { ...rules }, network })),
    a: value.a, b: value.b, warnings: [...value.warnings], decode: value.decode, seed: value.seed, app: value.app,
  };
}

const linkOf = question => `#q=${encoded(question)}`;

let remembering = null;
// Keeps the question in the address. A slider that moves is one step of the history.
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(rememberNow, 300);
}
function rememberNow() {
  clearTimeout(remembering);
  const link = linkOf(page.question);
  if (link !== location.hash) history.pushState(null, '', link);
}

// Takes the question of the address; returns why not, or null.
function restore() {
  if (!location.hash) {
    page.question = structuredClone(page.start.question);
    return null;
  }
  const question = decoded(location.hash.replace(/^#q=/, ''));
  page.question = question ?? page.question ?? structuredClone(page.start.question);
  return question ? null : 'The settings of this link do not fit these sessions: start the program with the sessions '
    + 'of the link, or continue with these settings.';
}
