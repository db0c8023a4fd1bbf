'use strict';
// The start of the page of `cachereplay play`, and its keys. The other files come before.

// Shows the question of the address, which a link or the back button has changed.
function follow() {
  const problem = restore();
  isSameNetwork = true;
  if (problem) say(problem);
  questionChanged();
}

// Letters work everywhere but in fields; space plays unless something else has the focus.
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target;
  if (target.closest('input:not([type=range], [type=radio], [type=checkbox]), select, textarea')) return;
  if (event.key === 's' || event.key === 'S') copyLink();
  else if (event.key === 'p' || event.key === 'P') pin();
  else if (event.key === ' ' && (target === document.body || target.closest('input[type=range]'))) {
    phones.selection?.play?.();
  } else return;
  event.preventDefault();
}

// Waits for the sessions that the program finds after its start, such as those of an archive, and offers them.
async function takeAllSessions() {
  try {
    const reply = await fetch('sessions', { cache: 'no-store' });
    const { sessions, error } = await reply.json();
    Object.assign(page.start, { sessions, problem: error, complete: true });
  } catch {
    // Without them, the page has the sessions that it knows.
  }
}

async function begin() {
  let reply;
  try {
    reply = await fetch('start', { cache: 'no-store' });
    if (!reply.ok) throw new Error();
    page.start = await reply.json();
  } catch {
    element('headline').textContent = 'The program does not answer';
    element('lost').hidden = false;
    return;
  }
  // A link may name a session that is found later.
  if (!page.start.complete && location.hash) await takeAllSessions();
  const problem = restore();
  makeControls();
  makeOutput();
  refreshControls();
  if (page.start.figures) {
    Object.assign(page, { answer: page.start.figures, asked: page.start.question });
    showFigures();
    refreshControls();
  }
  if (problem) say(problem);
  document.documentElement.classList.add('ready');
  requestAnimationFrame(() => setTimeout(() => performance.mark('play:first-picture')));
  if (page.start.figures && isSame(page.question, page.start.question)) askRest(); else questionChanged();
  addEventListener('popstate', follow);
  addEventListener('keydown', pressed);
  if (!page.start.complete) {
    await takeAllSessions();
    refreshControls();
  }
}

element('lost').querySelector('form').addEventListener('submit', event => {
  event.preventDefault();
  connection.open(event.currentTarget.querySelector('input').value);
});
begin();
