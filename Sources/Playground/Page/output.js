'use strict';
// What a person copies or saves: the link, texts, drawings, and a report.

async function copy(text, what) {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else {
      // A page whose address is not of this machine has no clipboard of its own.
      const field = html('textarea', { class: 'said' });
      field.value = text;
      document.body.append(field);
      field.select();
      const isDone = document.execCommand('copy');
      field.remove();
      if (!isDone) throw new Error();
    }
    say(`${what} copied`);
  } catch { say('The browser does not permit copying: select the text, and copy it by hand.'); }
}

function copyLink() {
  rememberNow();
  copy(location.href, 'The link with all settings is');
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  html('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// MARK: Texts

let exported = null;

function makeOutput() {
  const buttons = [
    button('Copy link (S)', copyLink),
    button('Copy as Markdown', () => copy(exported?.markdown ?? '', 'Markdown')),
    button('Save SVG', () => saveDrawing()), button('Save PNG', () => savePicture()),
    button('Save as report', event => saveReport(event.currentTarget)),
  ];
  buttons[1].disabled = true;
  buttons[1].id = 'markdown';
  element('output').replaceChildren(html('h2', {}, 'Copy and save'), html('p', { class: 'buttons' }, ...buttons),
    ...part('Command', html('pre', { id: 'command' }), () => element('command').textContent),
    html('div', { id: 'texts' }));
}

const part = (title, body, text) => [html('div', { class: 'text' },
  html('p', { class: 'head' }, html('span', {}, title),
    button('Copy', () => copy(text(), title), { 'aria-label': `Copy: ${title}` })), body)];

function showExport(answer) {
  exported = answer;
  element('markdown').disabled = !answer.markdown;
  if (answer.command) element('command').textContent = answer.command;
  const texts = [['YAML for --config', answer.yaml], ['Gate', answer.gate]]
    .filter(([, text]) => text).flatMap(([title, text]) => part(title, html('pre', {}, text), () => text));
  const settings = [
    ['Swift', answer.swift], ['Kotlin', answer.kotlin], ['Dart', answer.dart], ['TypeScript', answer.typescript],
    ['Command line', answer.shell],
  ].filter(([, setting]) => setting)
    .flatMap(([title, setting]) => typeof setting === 'string' || !setting.text
      ? [html('p', { class: 'quiet' }, `${title}: ${setting.sentence ?? setting.source ?? setting}`)]
      : part(title, html('div', {}, html('pre', {}, setting.text),
        ...(setting.source ? [html('p', { class: 'foot' }, `Source: ${setting.source}`)] : [])), () => setting.text));
  const remarks = (answer.setting ?? []).map(text => html('p', { class: 'quiet' }, text));
  const opened = element('texts').querySelector('details')?.open ?? false;
  element('texts').replaceChildren(...(answer.problem ? [html('p', { class: 'mistake' }, answer.problem)] : []),
    ...(texts.length + settings.length + remarks.length ? [html('details', { open: opened },
      html('summary', {}, 'YAML, gate, and the setting in code'), ...texts, ...settings,
      ...remarks)] : []));
}

async function saveReport(own) {
  own.disabled = true;
  say('The report is being written …');
  try {
    const reply = await fetch('report', {
      method: 'POST', body: JSON.stringify(page.question), cache: 'no-store',
      headers: { 'Content-Type': 'application/json', 'X-Play-Window': WINDOW, 'X-Play-Turn': String(++turn) },
    });
    if (reply.ok) {
      save(await reply.blob(), 'report.html');
      say('report.html is saved');
    } else say((await reply.json()).error ?? `The report could not be written (status ${reply.status}).`);
  } catch { say('The report could not be written: the program has ended, or its answer cannot be read.'); }
  own.disabled = false;
}

// MARK: Pictures

const DRAWN = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'font-size',
  'font-family', 'font-weight', 'text-anchor', 'paint-order', 'stroke-linejoin'];

// A copy of a drawing that has its style as attributes.
function standing(svg, attributes) {
  const copy = svg.cloneNode(true);
  const copies = [copy, ...all('*', copy)];
  [svg, ...all('*', svg)].forEach((node, index) => {
    const style = getComputedStyle(node);
    for (const name of DRAWN) copies[index].setAttribute(name, style.getPropertyValue(name));
  });
  return set(copy, attributes, []);
}

// The headline, the first figures and the drawings of the middle, as one drawing.
function drawing() {
  const width = 900, margin = 24;
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue('--text').trim(), quiet = style.getPropertyValue('--quiet').trim();
  const root = draw('svg', { xmlns: SVG, width, 'font-family': 'system-ui, sans-serif', fill: ink });
  const ground = draw('rect', { width, fill: style.getPropertyValue('--page').trim() });
  root.append(ground);
  let y = margin;
  const lines = (text, size, fill, weight) => {
    const most = Math.floor((width - 2 * margin) / (size * 0.55));
    let line = '';
    const end = () => {
      y += size * 1.3;
      root.append(draw('text', { x: margin, y, fill, 'font-size': size, 'font-weight': weight }, line));
      line = '';
    };
    for (const word of text.split(/\s+/).filter(Boolean)) {
      if (line && line.length + word.length >= most) end();
      line += (line ? ' ' : '') + word;
    }
    if (line) end();
  };
  lines(element('headline').textContent, 24, ink, 650);
  lines(element('context').textContent, 13, quiet, 400);
  y += 12;
  all('#cards > div').forEach((card, index) => {
    const x = margin + index * (width - 2 * margin) / HEAD_FIGURES;
    [...card.children].forEach((node, row) => root.append(draw('text', {
      x, y: y + 16 + row * 24, 'font-size': row === 1 ? 20 : 13, 'font-weight': row === 1 ? 650 : 400,
      fill: getComputedStyle(node).color,
    }, node.textContent)));
  });
  y += 84;
  for (const svg of all('#curve svg, #people svg').filter(svg => svg.getBoundingClientRect().width > 0)) {
    const box = svg.viewBox.baseVal;
    const own = width - 2 * margin;
    root.append(standing(svg, { x: margin, y, width: own, height: own * box.height / box.width }));
    y += own * box.height / box.width + 12;
  }
  lines(element('command').textContent, 11, quiet, 400);
  set(root, { height: Math.ceil(y + margin), viewBox: `0 0 ${width} ${Math.ceil(y + margin)}` }, []);
  ground.setAttribute('height', Math.ceil(y + margin));
  return { root, width, height: Math.ceil(y + margin) };
}

const drawingText = () => new XMLSerializer().serializeToString(drawing().root);

function saveDrawing() { save(new Blob([drawingText()], { type: 'image/svg+xml' }), 'playground.svg'); }

function savePicture() {
  const { root, width, height } = drawing();
  const image = new Image();
  image.addEventListener('error', () => say('The browser cannot draw this picture: save it as SVG instead.'));
  image.addEventListener('load', () => {
    const canvas = html('canvas', { width: width * 2, height: height * 2 });
    canvas.getContext('2d').drawImage(image, 0, 0, width * 2, height * 2);
    canvas.toBlob(blob => { if (blob) save(blob, 'playground.png'); }, 'image/png');
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(root))}`;
}
