// The page of `cachereplay record gallery`: three views of a folder's images, whose events are sent to the recorder.

import { Clock } from "./clock.js";
import { Detail } from "./detail.js";
import { Feed } from "./feed.js";
import { Grid } from "./grid.js";
import { Images } from "./images.js";
import { Recorder } from "./recording.js";
import { Scrolling } from "./scrolling.js";
import { Search, wordsOf } from "./search.js";
import { Sight } from "./cells.js";

// A session with fewer cells is too short for a replay.
const enoughCells = 12;

async function begin() {
  const catalogue = await (await fetch("images", { cache: "no-store" })).json();
  catalogue.images.forEach(describe);
  document.title = catalogue.title;
  document.getElementById("title").textContent = catalogue.title;

  const clock = new Clock();
  await clock.set();
  clock.keep();
  const recorder = new Recorder(clock, catalogue.run);
  recorder.onstatus = say;
  await recorder.begin();

  const images = new Images(recorder.client, catalogue.browserCache, catalogue.connections);
  const sight = new Sight(recorder, images);
  const detail = new Detail(sight, catalogue);
  const open = (image, opener) => detail.open(image, opener);
  const section = name => document.getElementById(name);
  const views = {
    feed: new Feed(section("feed"), sight, catalogue),
    grid: new Grid(section("grid"), sight, catalogue, open),
    search: new Search(section("search"), sight, catalogue, open),
  };
  const scrollings = Object.fromEntries(Object.keys(views).map(name => [name, new Scrolling(section(name), recorder)]));
  let current = null, isOver = false;

  function show() {
    if (isOver) return;
    const name = location.hash.slice(1) in views ? location.hash.slice(1) : "feed";
    if (name === current) return;
    detail.close();
    if (current) {
      scrollings[current].stop();
      views[current].offset = section(current).scrollTop;
      views[current].list.clear();
      section(current).hidden = true;
    }
    current = name;
    section(name).hidden = false;
    views[name].list.reset();
    section(name).scrollTop = views[name].offset ?? 0;
    views[name].list.update();
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === `#${name}`) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    if (name === "search" && matchMedia("(hover: hover)").matches) section(name).querySelector("input").focus();
    else section(name).focus({ preventScroll: true });
  }

  // Replaces the history entry, so that going back only closes an image.
  document.querySelector("nav").addEventListener("click", event => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    if (link.hash === `#${current}`) section(current).scrollTo({ top: 0, behavior: "smooth" });
    history.replaceState(null, "", link.hash);
    show();
  });
  addEventListener("hashchange", show);
  // A browser does not tell pages that memory is short, so the person does. The colour confirms it for a moment.
  const warn = document.getElementById("warn");
  warn.addEventListener("click", () => {
    recorder.event("memory_warning");
    warn.classList.add("recorded");
    setTimeout(() => warn.classList.remove("recorded"), 1_500);
  });

  // The end of the recording, and its replay.
  const ending = document.getElementById("end");
  if (catalogue.plays) recorder.onappear = count => { if (count >= enoughCells) ending.hidden = false; };
  ending.addEventListener("click", async () => {
    isOver = true;
    detail.close();
    scrollings[current].stop();
    views[current].list.clear();
    sight.dropAll();
    section(current).hidden = true;
    document.body.classList.add("over");
    const over = section("over"), text = section("over-text");
    over.hidden = false;
    over.focus();
    text.textContent = "Sending the last events …";
    await recorder.end();
    text.textContent = "Preparing the replay …";
    try {
      const link = section("replay");
      link.href = await recorder.played();
      link.hidden = false;
      text.textContent = "Replay your own session with other caches, limits and networks.";
      link.focus();
    } catch (error) { text.textContent = error.message; }
  });
  section("again").addEventListener("click", () => location.reload());
  let width = innerWidth;
  addEventListener("resize", () => {
    if (isOver) return;
    // Phones change the height when their bars appear and disappear.
    if (innerWidth === width) return views[current].list.plan();
    width = innerWidth;
    views[current].list.reset();
  });
  addEventListener("pagehide", event => {
    if (!event.persisted && !isOver) {
      scrollings[current].stop();
      sight.dropAll();
    }
    recorder.hide(event.persisted);
  });
  show();
  window.gallery = { sight, images, recorder, clock }; // for tests
  document.body.dataset.ready = "yes";
}

// Sets the title of an image: the file's name, or the folder's if the file's has no letters.
function describe(image) {
  const parts = image.name.replace(/\.[^./]*$/, "").split("/");
  const names = parts.filter(part => /\p{L}{2,}/u.test(part) && !/^(contents|images|DSC|IMG)$/i.test(part));
  const name = names.pop() ?? parts[parts.length - 1];
  image.title = name.replace(/[-_]+/g, " ").replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").trim().replace(/^\p{Ll}/u, letter => letter.toUpperCase());
  image.folder = names.join(" / ");
  image.words = wordsOf(`${image.title} ${image.folder}`);
  image.size = image.width ? `${image.width} × ${image.height}` : "";
}

function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.hidden = text === "";
}

begin().catch(error => say(`This page cannot start: ${error.message}`));
