// Plays the events of an rrweb recording in a clock of their own, and notes when images are on the screen.
//
// The player applies each event at once. After each moment of the recording the browser makes one frame, whose layout
// an IntersectionObserver reports. So the speed of the computer has no effect on the times.

"use strict";

const convert = (() => {
  const frameTime = 16; // milliseconds between the positions of a list that scrolls
  const together = 4; // events within so many milliseconds have one frame
  const scrolls = 150; // a list scrolls on if its next position comes within so many milliseconds
  const redrawn = 100; // a cell that lost its image and is still there after so many milliseconds shows it again
  const classes = 10; // elements with a class in a page that cannot be without a style sheet
  const source = { mutation: 0, scroll: 3, resize: 4, input: 5, rule: 8, font: 10, declaration: 13, adopted: 15 };
  const played = new Set([source.mutation, source.resize, source.input, source.rule, source.font, source.declaration]);

  let settings, replayer, observer, pixel;
  let queue = []; // {event, index} that wait until the following 100 ms are known
  const targets = new Map(); // element -> {id, key, variant, isSeen, open, lost, images}
  let changed = new Set(); // targets to decide after the next frame
  let carried = []; // appearances of elements that the player has replaced
  const images = new Set(); // the images of the page and of its frames
  let unbuilt = []; // recorded nodes of a frame whose element comes later
  const documents = new Map(); // id of a frame -> whether its document is in the recording
  const styled = new WeakSet(); // documents and shadow roots with a style sheet
  const positions = new Map(); // id of a list -> its last position
  const moving = new Map(); // id of a list -> the positions between two events
  const appearances = [];
  const sets = Object.fromEntries(
    ["masked", "maskedAreas", "lostStyles", "unsized", "withoutAddress", "withoutMeaning", "backgrounds"]
      .map(name => [name, new Set()]));
  const counts = { snapshots: 0, failed: 0, changes: 0, unknown: 0, frames: 0, neutralized: 0, unread: 0 };

  // ----- What the recording holds

  // Makes attributes harmless, which the player would set. Scripts cannot run anyway: this spares navigations.
  // An image that is loaded late, and a frame that nothing may read, would have no layout.
  function neutralize(attributes, tag) {
    const late = ["img", "iframe"].includes(tag) ? ["loading", "crossorigin", "sandbox"] : [];
    for (const name of late) delete attributes[name];
    for (const name of Object.keys(attributes)) {
      const lower = name.toLowerCase(), value = attributes[name];
      const isHostile = lower.startsWith("on") || lower === "srcdoc" || lower === "ping"
        || (lower === "http-equiv" && /refresh/i.test(value))
        || (typeof value === "string" && /^\s*javascript:/i.test(value))
        || (["src", "data"].includes(lower) && ["iframe", "frame", "object", "embed"].includes(tag));
      if (!isHostile) continue;
      delete attributes[name];
      if (lower === "src" && /^https?:/i.test(value)) attributes.rr_src = value; else counts.neutralized += 1;
    }
  }

  // Whether a link is a style sheet. A recorder that writes what a sheet holds removes `rel` and `href`.
  const isSheet = ({ rel, href }) => /\bstylesheet\b/i.test(rel ?? (href === undefined ? "stylesheet" : ""));

  // Reads and neutralizes a recorded node and all within it, and returns them.
  function inspect(root) {
    const nodes = [root];
    for (const node of nodes) {
      const attributes = node.attributes ?? {}, css = attributes._cssText;
      const tag = String(node.tagName ?? "").toLowerCase();
      neutralize(attributes, tag);
      if ("rr_width" in attributes) (tag === "img" ? sets.masked : sets.maskedAreas).add(node.id);
      else if (tag === "iframe" || tag === "frame") documents.set(node.id, false);
      if (tag === "link" && isSheet(attributes) && typeof css !== "string") {
        sets.lostStyles.add(String(attributes.href ?? `node ${node.id}`));
      }
      if (typeof attributes.style === "string" && /\burl\(/i.test(attributes.style)) sets.backgrounds.add(node.id);
      const children = node.childNodes ?? [], texts = tag === "style" ? children.map(child => child.textContent) : [];
      if ([css, ...texts].some(text => /@import\b/i.test(text ?? ""))) sets.lostStyles.add(`@import of ${node.id}`);
      for (const child of children) nodes.push(child);
    }
    return nodes;
  }

  // Notes a document or a shadow root with classes and no style sheet: rrweb 1 has none that a script adopts.
  function checkStyles(root) {
    if (styled.has(root)) return;
    const name = `each one of node ${idOf(root.host ?? root)}, whose elements have classes`;
    if ([...root.querySelectorAll("style")].some(({ __sn, sheet }) => __sn && sheet?.cssRules.length)) {
      styled.add(root);
      sets.lostStyles.delete(name);
    } else if (root.querySelectorAll("[class]:not([style], [class^=rr-])").length >= classes) {
      sets.lostStyles.add(name);
    }
  }

  // Counts the frames whose document has not come.
  const countFrames = () => {
    counts.unread = Math.max(counts.unread, [...documents.values()].filter(isRead => !isRead).length);
  };

  // ----- Which elements show which image

  const idOf = element => element.__sn?.id ?? -1;

  // Whether an element is in the page, and not in a frame that is gone.
  const isLive = element => element.isConnected && element.ownerDocument.defaultView !== null;

  function cellOf(element) {
    const cell = settings.keys.length ? element.closest(settings.cells) : null;
    return cell ?? (element.localName === "img" ? element : null);
  }

  function addressOf(image) {
    const isChosen = image.hasAttribute("srcset") || image.parentNode?.localName === "picture";
    return (isChosen && image.currentSrc) || (image.hasAttribute("src") ? image.src : "");
  }

  // The key and the variant that an element shows, or null.
  function identity(element) {
    for (const name of settings.keys) {
      const key = element.getAttribute(name);
      if (!key) continue;
      const variant = settings.variant && element.getAttribute(settings.variant);
      return { key, variant: variant === "thumbnail" ? variant : "full" };
    }
    if (element.localName !== "img") return null;
    const address = addressOf(element);
    if (!address || address.startsWith("data:")) return null;
    return { key: address, variant: "full" };
  }

  function consider(element) {
    if (!(element?.nodeType === 1)) return;
    const cell = cellOf(element);
    if (!cell) return;
    if (element.localName === "img") images.add(element);
    let target = targets.get(cell);
    if (!target) {
      target = { id: idOf(cell), key: null, variant: null, isSeen: false, open: null, lost: null };
      targets.set(cell, target);
      observer.observe(cell);
    }
    changed.add(cell);
  }

  function end(target, now) {
    if (target.open) target.open.to = now;
    target.open = null;
  }

  function begin(element, target, now) {
    const found = carried.findIndex(({ id, key, variant }) =>
      (id === null || id === target.id) && key === target.key && variant === target.variant);
    if (found >= 0) {
      target.open = carried.splice(found, 1)[0].open;
      return;
    }
    if (target.key.startsWith("blob:")) sets.withoutMeaning.add(target.key);
    target.open = { key: target.key, variant: target.variant, from: now, to: null };
    appearances.push(target.open);
  }

  // Ends what an element has shown if it shows something else now.
  function compare(element, target, now) {
    const shown = identity(element);
    if (shown?.key === target.key && shown?.variant === target.variant) return;
    if (!shown && target.key === null) return;
    end(target, now);
    Object.assign(target, { key: shown?.key ?? null, variant: shown?.variant ?? null, lost: null });
  }

  function decide(now) {
    for (const element of changed) {
      const target = targets.get(element);
      if (!target) continue;
      if (!isLive(element)) {
        end(target, now);
        observer.unobserve(element);
        targets.delete(element);
        continue;
      }
      compare(element, target, now);
      if (!target.isSeen) {
        target.lost = null;
        end(target, now);
      } else if (!target.open && target.key !== null) {
        if (target.lost === null) begin(element, target, now);
        else if (now - target.lost >= redrawn) {
          begin(element, target, target.lost);
          target.lost = null;
        } else {
          continue; // stays in `changed`
        }
      }
      if (target.isSeen) measure(element);
      changed.delete(element);
    }
    carried = carried.filter(({ open, time, isFramed }) => {
      if (isFramed && now - time < redrawn) return true; // the document of its frame comes behind the snapshot
      open.to ??= time;
      return false;
    });
  }

  // Notes images without a file whose size nothing else states.
  function measure(element) {
    checkStyles(element.getRootNode());
    const all = element.localName === "img" ? [element] : element.querySelectorAll("img");
    for (const image of all) {
      if (image.hasAttribute("src") === false && !image.hasAttribute("srcset")) {
        const isMasked = "rr_width" in (image.__sn?.attributes ?? {});
        if (!isMasked && identity(element) === null) sets.withoutAddress.add(idOf(image));
        continue;
      }
      sets.withoutAddress.delete(idOf(image));
      if (!image.complete || image.naturalWidth > 0) continue;
      const style = image.computedStyleMap(), { width, height } = image.getBoundingClientRect();
      const isAuto = name => String(style.get(name)) === "auto";
      const ratio = getComputedStyle(image).aspectRatio !== "auto";
      const isSized = (!isAuto("width") && !isAuto("height")) || (ratio && isAuto("width") !== isAuto("height"));
      if (!isSized || width < 1 || height < 1) sets.unsized.add(idOf(image));
    }
  }

  function notice(entries) {
    for (const entry of entries) {
      const target = targets.get(entry.target);
      if (!target) continue;
      target.isSeen = entry.isIntersecting && entry.intersectionRatio > 0;
      changed.add(entry.target);
    }
  }

  // ----- Frames

  const frame = () => new Promise(done => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { channel.port1.close(); done(); };
    channel.port2.postMessage(null);
  }));

  // Waits until each image is loaded or has failed. Returns whether there was one.
  async function settle() {
    for (const image of images) if (!isLive(image)) images.delete(image);
    const waiting = [...images].filter(image => !image.complete);
    if (!waiting.length) return false;
    const loads = waiting.map(image => new Promise(done => { image.onload = image.onerror = done; }));
    // Each one is answered within `patience`.
    const never = new Promise((_, fail) => setTimeout(
      fail, settings.patience * (waiting.length + 1), new Error("an image is never loaded")));
    await Promise.race([Promise.all(loads), never]);
    return true;
  }

  async function look(now) {
    await settle();
    do {
      // A frame in which nothing changes would come only 60 times a second.
      pixel.style.opacity = counts.frames % 2 ? 1 : 0.5;
      await frame();
      counts.frames += 1;
    } while (await settle()); // the layout may choose another image of a `srcset`
    notice(observer.takeRecords());
    decide(now);
  }

  // ----- Events

  function scrollTo(id, x, y) {
    const node = replayer.getMirror().getNode(id);
    const place = { left: x, top: y, behavior: "instant" };
    if (!node) return;
    if (node.nodeType === 9) node.defaultView?.scrollTo(place); else node.scrollTo?.(place);
  }

  function cast(event) {
    replayer.getCastFn(event, false)();
  }

  function snapshot(event, now) {
    counts.snapshots += 1;
    countFrames();
    documents.clear();
    inspect(event.data.node);
    // The same elements, built anew: what was on the screen stays there.
    for (const [element, target] of targets) {
      const isFramed = element.ownerDocument !== replayer.iframe.contentDocument;
      if (target.open) carried.push({ ...target, id: null, time: now, isFramed });
      observer.unobserve(element);
    }
    targets.clear();
    changed.clear();
    positions.clear();
    unbuilt = [];
    cast(event);
    const page = replayer.iframe.contentDocument;
    if (!page?.documentElement) throw new Error("the snapshot has no document");
    for (const node of Object.values(replayer.getMirror().map)) {
      if (node.nodeType === 1 && (node.localName === "img" || settings.keys.some(name => node.hasAttribute(name)))) {
        consider(node);
      }
    }
  }

  // The additions whose place is known. The player would look half a second long for the place of each other one, so
  // that a recording without one of its pieces would never end.
  function placed(adds) {
    const mirror = replayer.getMirror(), ids = new Set();
    const isKnown = id => id === null || id === undefined || id === -1 || mirror.has(id) || ids.has(id);
    let waiting = adds, later = [];
    const found = [];
    const take = add => {
      ids.add(add.node.id);
      found.push(add);
    };
    while (waiting.length) {
      later = [];
      for (const add of waiting) {
        const hasParent = add.node.type === 0 || (isKnown(add.parentId) && add.parentId >= 0);
        if (hasParent && isKnown(add.nextId)) take(add); else later.push(add);
      }
      if (later.length === waiting.length) {
        // None has its place: the first one with a parent goes to its end.
        const first = later.findIndex(add => isKnown(add.parentId) && add.parentId >= 0);
        if (first < 0) break;
        counts.unknown += 1;
        take(Object.assign(later.splice(first, 1)[0], { nextId: null }));
      }
      waiting = later;
    }
    counts.unknown += waiting.length;
    return found;
  }

  function mutate(event, now) {
    const { attributes = [], removes = [], texts = [] } = event.data;
    counts.changes += (event.data.adds?.length ?? 0) + attributes.length;
    const adds = placed(event.data.adds ?? []);
    Object.assign(event.data, { adds, attributes, removes, texts });
    const mirror = replayer.getMirror();
    for (const add of adds) {
      unbuilt.push(...inspect(add.node));
      if (add.node.type === 0) {
        documents.set(add.parentId, true);
        delete add.node.rootId; // behind a second snapshot it is the document itself, for which the player would wait
      }
    }
    for (const change of attributes) {
      const node = mirror.getNode(change.id);
      neutralize(change.attributes, node?.localName ?? "");
      const { href } = change.attributes, isLink = node?.__sn?.tagName === "link";
      if (href && isLink && isSheet(node.__sn.attributes)) sets.lostStyles.add(String(href));
      if (node?.localName === "img" && change.attributes.src === null) {
        const target = targets.get(cellOf(node));
        if (target?.open) {
          end(target, now);
          target.lost = now;
        }
      }
    }
    const removed = new Set(removes.map(({ id }) => id));
    // An element that is moved is a new one to the player, with the same number.
    const moved = adds.some(({ node }) => removed.has(node.id));
    if (moved) {
      for (const [element, target] of targets) {
        const isMoved = removes.some(({ id }) => mirror.getNode(id)?.contains(element));
        if (!isMoved || !target.open) continue;
        carried.push({ ...target, time: now });
        target.open = null;
      }
    }
    cast(event);
    unbuilt = unbuilt.filter(({ id, attributes }) => {
      const node = mirror.getNode(id), { rr_scrollLeft: left, rr_scrollTop: top } = attributes ?? {};
      if (left || top) scrollTo(id, left, top);
      consider(node);
      return !node;
    });
    for (const { id } of attributes) {
      const node = mirror.getNode(id);
      if (!node) { if (!removed.has(id)) counts.unknown += 1; } else consider(node);
    }
    if (removes.length || adds.some(({ node }) => node.type === 0)) {
      for (const element of targets.keys()) if (!isLive(element)) changed.add(element);
    }
  }

  // Applies an event. Returns whether a frame is needed.
  function apply(event, now) {
    const { type, data } = event;
    if (type === 4) { cast(event); return true; }
    if (type === 2) { snapshot(event, now); return true; }
    if (type !== 3 || !counts.snapshots) return false;
    if (data.source === source.scroll) {
      positions.set(data.id, { x: data.x, y: data.y, time: now });
      moving.delete(data.id);
      scrollTo(data.id, data.x, data.y);
      return true;
    }
    if (data.source === source.adopted && (data.styles?.length || data.styleIds?.length)) {
      sets.lostStyles.add(`adopted by ${data.id}`);
    }
    if (!played.has(data.source)) return false;
    if (data.source === source.mutation) mutate(event, now); else cast(event);
    return true;
  }

  // The positions between this event of a list and its next one.
  function plan(index, upTo) {
    const { event: { data, timestamp } } = queue[index];
    for (let next = index + 1; next < upTo; next++) {
      const other = queue[next].event;
      if (other.timestamp - timestamp > scrolls || other.type === 2) return;
      if (other.type !== 3 || other.data.source !== source.scroll || other.data.id !== data.id) continue;
      const height = replayer.iframe.clientHeight || 1;
      if (Math.abs(other.data.y - data.y) > 2 * height) return; // a jump
      moving.set(data.id, { from: data, to: other.data, begun: timestamp, ends: other.timestamp });
      return;
    }
  }

  // Moves lists up to a moment, with a frame for each position.
  async function move(from, to) {
    if (!moving.size) return;
    for (let now = from + frameTime; now < to; now += frameTime) {
      for (const [id, way] of moving) {
        if (now >= way.ends) { moving.delete(id); continue; }
        const part = (now - way.begun) / (way.ends - way.begun);
        scrollTo(id, way.from.x + (way.to.x - way.from.x) * part, way.from.y + (way.to.y - way.from.y) * part);
      }
      await look(now);
    }
  }

  let clock = null;

  // Plays the events of the queue, but keeps those whose following ones are not known yet.
  async function play(events, isLast) {
    for (const event of events) queue.push({ event });
    const known = isLast ? Infinity : (queue.at(-1)?.event.timestamp ?? 0) - scrolls;
    let index = 0;
    while (index < queue.length && queue[index].event.timestamp <= known) {
      const first = queue[index].event.timestamp;
      if (clock !== null) {
        await move(clock, first);
        // A cell that has lost its image: does it still stand there?
        if (changed.size && first - clock > redrawn) await look(Math.min(first - 1, clock + redrawn));
      }
      let needed = false, now = first, count = 0;
      while (index < queue.length && queue[index].event.timestamp - first <= together) {
        const { event } = queue[index];
        if (event.timestamp > known) break;
        if (count && event.type === 2) break; // a snapshot has a frame of its own
        now = event.timestamp;
        try {
          needed = apply(event, now) || needed;
        } catch (error) {
          counts.failed += 1;
          counts.firstFailure ??= String(error?.message ?? error).slice(0, 200);
        }
        if (event.type === 3 && event.data?.source === source.scroll) plan(index, queue.length);
        index += 1;
        count += 1;
        if (event.type === 2) break;
      }
      if (needed) await look(now);
      clock = now;
    }
    queue = queue.slice(index);
  }

  return {
    // `options`: keys (attributes with the identity), variant (attribute), width and height of the screen.
    start(options) {
      settings = { ...options, cells: options.keys.map(name => `[${CSS.escape(name)}]`).join() };
      const style = document.createElement("style");
      // Nothing is drawn, but all is laid out. The player's scaling would move its frame.
      style.textContent = "html, body { margin: 0; } .replayer-wrapper { transform: none !important; opacity: 0; }"
        + " .replayer-wrapper iframe { position: fixed; left: 0; top: 0; border: 0; }"
        + " .replayer-mouse, .replayer-mouse-tail { display: none !important; }";
      document.head.append(style);
      pixel = document.createElement("div");
      pixel.style.cssText = "position:fixed;right:0;bottom:0;width:1px;height:1px;background:#000;will-change:opacity";
      document.body.append(pixel);
      const player = new rrwebPlayer({
        target: document.body,
        props: {
          // The player wants two events. Those of the recording go to it one by one.
          events: [0, 1].map(timestamp => ({ type: 5, data: { tag: "", payload: {} }, timestamp })), liveMode: true,
          autoPlay: false, showController: false, skipInactive: false, triggerFocus: false,
          mouseTail: false, showWarning: false, width: options.width, height: options.height,
          // Transitions would take real time, which is not the recording's.
          insertStyleRules: [
            "*, *::before, *::after { transition: none !important; animation-duration: 0s !important;"
            + " animation-delay: 0s !important; scroll-behavior: auto !important; }"],
        },
      });
      replayer = player.getReplayer();
      observer = new IntersectionObserver(notice, { threshold: [0, 0.00001] });
      // What the frame of the recorded page may do.
      return replayer.iframe.getAttribute("sandbox");
    },
    play: text => play(JSON.parse(text), false),
    async finish() {
      await play([], true);
      countFrames();
      if (counts.snapshots) checkStyles(replayer.iframe.contentDocument);
      return {
        appearances, counts,
        ...Object.fromEntries(Object.entries(sets).map(([name, set]) => [name, [...set].slice(0, 5)])),
        sizes: Object.fromEntries(Object.entries(sets).map(([name, set]) => [name, set.size])),
      };
    },
  };
})();
