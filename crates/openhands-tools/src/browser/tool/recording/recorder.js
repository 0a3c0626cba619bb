// Records what a page shows, in the events that rrweb's player plays.
//
// Runs in an isolated world of the main frame, from the beginning of every document on. `send` takes a list of events as
// JSON. A recording of a document begins with its address and size (type 4) and the whole of it (type 2); then come its
// changes, scrolling, input and clicks (type 3). Passwords are replaced by asterisks, scripts are left out.
(send) => {
  'use strict';
  if (window !== window.top || globalThis.openhandsRecorder) return;

  const TYPE = { domContentLoaded: 0, load: 1, full: 2, change: 3, meta: 4 };
  const SOURCE = { mutation: 0, mouseMove: 1, mouse: 2, scroll: 3, resize: 4, input: 5 };
  const MOUSE = { mouseup: 0, mousedown: 1, click: 2, contextmenu: 3, dblclick: 4, focus: 5, blur: 6, touchstart: 7, touchend: 9 };
  const LEFT_OUT = new Set(['script', 'noscript', 'template', 'base']);
  const ADDRESSES = new Set(['src', 'href', 'poster', 'action', 'data']);
  const SEND_AFTER = 200; // milliseconds that events wait for others to come along
  const SAME_MOMENT = 100; // milliseconds between two reports of one scrolling
  const MAX_CHANGES = 5000; // more nodes than this at once are told as a whole new document
  const MAX_DEPTH = 400;
  const MAX_CANVAS = 2000000;

  const ids = new WeakMap();
  const watched = new WeakSet();
  const observers = [];
  const listeners = new AbortController();
  let lastId = 0;
  let queue = [];
  let timer = 0;
  let isOn = false;
  let rules = 0;

  const flush = () => {
    clearTimeout(timer);
    timer = 0;
    if (!queue.length) return;
    const events = queue;
    queue = [];
    send(JSON.stringify(events));
  };

  const emit = (type, data, timestamp = Date.now()) => {
    queue.push({ type, data, timestamp });
    timer ||= setTimeout(flush, SEND_AFTER);
  };

  const change = (source, data) => emit(TYPE.change, { source, ...data });

  const idOf = (node) => ids.get(node) ?? -1;

  const remember = (node) => {
    let id = ids.get(node);
    if (id === undefined) {
      lastId += 1;
      id = lastId;
      ids.set(node, id);
    }
    return id;
  };

  const forget = (node) => {
    ids.delete(node);
    if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) forget(child);
    for (const child of node.childNodes) forget(child);
  };

  const absolute = (address, base) => {
    if (!address || /^(data:|blob:|#|javascript:|about:)/i.test(address.trim())) return address;
    try {
      return new URL(address, base).href;
    } catch {
      return address;
    }
  };

  const absoluteInCss = (css, base) =>
    css.replace(/url\(\s*(['"]?)([^'")]+)\1\s*\)/g, (_, quote, address) => `url(${quote}${absolute(address, base)}${quote})`);

  const cssOf = (sheet, base) => {
    try {
      return absoluteInCss(Array.from(sheet.cssRules, (rule) => rule.cssText).join('\n'), sheet.href ?? base);
    } catch {
      return null; // a sheet of another origin
    }
  };

  const masked = (element, value) => (element.type === 'password' ? '*'.repeat(value.length) : value);

  const attributeValue = (element, name, value) => {
    const base = element.baseURI;
    if (name === 'style') return absoluteInCss(value, base);
    if (name === 'srcset') {
      return value
        .split(',')
        .map((part) => part.trim().split(/\s+/))
        .map(([address, ...size]) => [absolute(address, base), ...size].join(' '))
        .join(', ');
    }
    if (name === 'value' && element.localName === 'input') return masked(element, value);
    return ADDRESSES.has(name) ? absolute(value, base) : value;
  };

  const isTold = (name) => !/^on/i.test(name) && name !== 'nonce' && name !== 'integrity' && name !== 'srcdoc';

  // What an element is now and its attributes do not say.
  const stateOf = (element, attributes) => {
    const tag = element.localName;
    if (tag === 'input') {
      if (element.type === 'checkbox' || element.type === 'radio') {
        delete attributes.checked;
        if (element.checked) attributes.checked = true;
      } else if (element.type !== 'file' && element.value) attributes.value = masked(element, element.value);
    } else if (tag === 'textarea') attributes.value = element.value;
    else if (tag === 'select') attributes.value = element.value;
    else if (tag === 'option') {
      delete attributes.selected;
      if (element.selected) attributes.selected = true;
    } else if (tag === 'canvas') {
      try {
        const picture = element.toDataURL();
        if (picture.length < MAX_CANVAS) attributes.rr_dataURL = picture;
      } catch {
        // A canvas with pictures of another origin cannot be read.
      }
    } else if (tag === 'audio' || tag === 'video') attributes.rr_mediaState = element.paused ? 'paused' : 'played';
    else if (tag === 'iframe' || tag === 'frame') {
      const { src } = attributes;
      delete attributes.src;
      if (src && !documentIn(element)) attributes.rr_src = src;
    } else if (tag === 'link' && element.sheet) {
      const css = cssOf(element.sheet, element.baseURI);
      if (css !== null) {
        delete attributes.rel;
        delete attributes.href;
        attributes._cssText = css;
      }
    }
    if (element.scrollLeft) attributes.rr_scrollLeft = element.scrollLeft;
    if (element.scrollTop) attributes.rr_scrollTop = element.scrollTop;
  };

  const documentIn = (frame) => {
    try {
      return frame.contentDocument;
    } catch {
      return null;
    }
  };

  const isLeftOut = (node) => {
    if (node.nodeType === Node.COMMENT_NODE || node.nodeType === Node.PROCESSING_INSTRUCTION_NODE) return true;
    if (node.nodeType !== Node.ELEMENT_NODE) return false;
    const tag = node.localName;
    if (LEFT_OUT.has(tag)) return true;
    if (tag === 'meta') return node.httpEquiv !== '';
    return tag === 'link' && !/\bstylesheet\b/i.test(node.rel);
  };

  // A node without its children; null if it is left out.
  const plain = (node) => {
    if (isLeftOut(node)) return null;
    const id = remember(node);
    if (node.nodeType === Node.DOCUMENT_NODE) return { type: 0, childNodes: [], compatMode: node.compatMode, id };
    const more = node.ownerDocument === document ? {} : { rootId: remember(node.ownerDocument) };
    if (node.nodeType === Node.DOCUMENT_TYPE_NODE) {
      return { type: 1, name: node.name, publicId: node.publicId, systemId: node.systemId, id, ...more };
    }
    if (node.parentNode instanceof ShadowRoot) more.isShadow = true;
    if (node.nodeType === Node.ELEMENT_NODE) {
      const attributes = {};
      for (const { name, value } of node.attributes) if (isTold(name)) attributes[name] = attributeValue(node, name, value);
      stateOf(node, attributes);
      if (node instanceof SVGElement) more.isSVG = true;
      if (node.shadowRoot) more.isShadowHost = true;
      const tagName = node instanceof SVGElement ? node.tagName : node.localName;
      return { type: 2, tagName, attributes, childNodes: [], id, ...more };
    }
    if (node.nodeType !== Node.TEXT_NODE && node.nodeType !== Node.CDATA_SECTION_NODE) return null;
    const parent = node.parentNode;
    const isStyle = parent?.localName === 'style';
    let textContent = node.data;
    if (isStyle && parent.sheet && parent.firstChild === node) textContent = cssOf(parent.sheet, node.baseURI) || textContent;
    if (parent?.localName === 'textarea') textContent = '';
    return isStyle ? { type: 3, textContent, isStyle, id, ...more } : { type: 3, textContent, id, ...more };
  };

  const childrenOf = (node) => (node.shadowRoot ? [...node.shadowRoot.childNodes, ...node.childNodes] : node.childNodes);

  const whole = (node, frames, depth = 0) => {
    const told = depth > MAX_DEPTH ? null : plain(node);
    if (!told) return null;
    if (node.shadowRoot) watch(node.shadowRoot);
    if (node.localName === 'iframe' || node.localName === 'frame') frames.push(node);
    if (told.childNodes) {
      for (const child of childrenOf(node)) {
        const inner = whole(child, frames, depth + 1);
        if (inner) told.childNodes.push(inner);
      }
      // A style element that only scripts filled has no text of its own.
      if (node.localName === 'style' && !node.firstChild && node.sheet?.cssRules.length) {
        told.attributes._cssText = cssOf(node.sheet, node.baseURI) ?? '';
      }
    }
    return told;
  };

  const attach = (frame) => {
    const doc = documentIn(frame);
    if (!doc?.documentElement || idOf(frame) < 0) return;
    const frames = [];
    const node = whole(doc, frames);
    change(SOURCE.mutation, { adds: [{ parentId: idOf(frame), nextId: null, node }], removes: [], texts: [], attributes: [], isAttachIframe: true });
    watch(doc);
    listen(doc);
    frames.forEach(follow);
  };

  // Tells what a frame shows now, and again whenever it has loaded something else.
  const follow = (frame) => {
    attach(frame);
    if (watched.has(frame)) return;
    watched.add(frame);
    frame.addEventListener('load', () => isOn && attach(frame), { signal: listeners.signal });
  };

  const countRules = () => {
    let count = 0;
    for (const sheet of document.styleSheets) {
      try {
        count += sheet.cssRules.length;
      } catch {
        // A sheet of another origin.
      }
    }
    return count;
  };

  const snapshot = () => {
    emit(TYPE.meta, { href: location.href, width: window.innerWidth, height: window.innerHeight });
    const frames = [];
    const node = whole(document, frames);
    emit(TYPE.full, { node, initialOffset: { left: window.scrollX, top: window.scrollY } });
    rules = countRules();
    watch(document);
    frames.forEach(follow);
    flush();
  };

  const isBelow = (node, set) => {
    for (let at = node.parentNode ?? node.host; at; at = at.parentNode ?? at.host) if (set.has(at)) return true;
    return false;
  };

  // The id of the node that follows among those that are told; null at the end.
  const nextIdOf = (node) => {
    for (let next = node.nextSibling; next; next = next.nextSibling) if (ids.has(next)) return idOf(next);
    return null;
  };

  // A node and all below it as single additions, each after the one it stands before.
  const add = (node, parentId, adds, frames) => {
    const told = plain(node);
    if (!told) return;
    adds.push({ parentId, nextId: nextIdOf(node), node: told });
    if (node.shadowRoot) watch(node.shadowRoot);
    if (node.localName === 'iframe' || node.localName === 'frame') frames.push(node);
    for (let child = node.lastChild; child; child = child.previousSibling) add(child, told.id, adds, frames);
    for (let child = node.shadowRoot?.lastChild; child; child = child.previousSibling) add(child, told.id, adds, frames);
  };

  const sort = (records) => {
    const sorted = { removed: new Map(), added: new Set(), texts: new Set(), attributes: new Map() };
    for (const record of records) {
      if (record.type === 'characterData') sorted.texts.add(record.target);
      else if (record.type === 'attributes') {
        const names = sorted.attributes.get(record.target) ?? new Set();
        sorted.attributes.set(record.target, names.add(record.attributeName));
      } else {
        for (const node of record.removedNodes) {
          if (ids.has(node) && !sorted.removed.has(node)) sorted.removed.set(node, record.target);
        }
        for (const node of record.addedNodes) sorted.added.add(node);
      }
    }
    return sorted;
  };

  const removals = (removed) => {
    const removes = [];
    for (const [node, target] of removed) {
      const isShadow = target instanceof ShadowRoot;
      const parentId = idOf(isShadow ? target.host : target);
      // What was taken out with its parent goes with it.
      if (parentId >= 0 && ids.has(node) && !isBelow(target, removed) && !removed.has(target)) {
        removes.push(isShadow ? { parentId, id: idOf(node), isShadow } : { parentId, id: idOf(node) });
      }
    }
    for (const node of removed.keys()) forget(node);
    return removes;
  };

  const additions = (added, frames) => {
    const adds = [];
    const parents = new Set();
    for (const node of added) if (node.isConnected && node.parentNode && !isBelow(node, added)) parents.add(node.parentNode);
    for (const parent of parents) {
      const parentId = idOf(parent instanceof ShadowRoot ? parent.host : parent);
      if (parentId < 0) continue;
      for (let child = parent.lastChild; child; child = child.previousSibling) {
        if (added.has(child) && !ids.has(child)) add(child, parentId, adds, frames);
      }
    }
    return adds;
  };

  const mutated = (records) => {
    if (!isOn) return;
    const { removed, added, texts, attributes } = sort(records);
    const count = Array.from(added).reduce((sum, node) => sum + 1 + (node.getElementsByTagName?.('*').length ?? 0), 0);
    if (count > MAX_CHANGES) {
      snapshot();
      return;
    }
    const frames = [];
    const data = {
      texts: [],
      attributes: [],
      removes: removals(removed),
      adds: additions(added, frames),
    };
    for (const node of texts) if (ids.has(node)) data.texts.push({ id: idOf(node), value: node.data });
    for (const [node, names] of attributes) {
      if (!ids.has(node)) continue;
      const told = {};
      for (const name of names) {
        const value = node.getAttribute(name);
        if (isTold(name)) told[name] = value === null ? null : attributeValue(node, name, value);
      }
      if (Object.keys(told).length) data.attributes.push({ id: idOf(node), attributes: told });
    }
    if (data.texts.length || data.attributes.length || data.removes.length || data.adds.length) change(SOURCE.mutation, data);
    frames.forEach(follow);
  };

  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    const observer = new MutationObserver(mutated);
    observer.observe(root, { childList: true, attributes: true, characterData: true, subtree: true });
    observers.push(observer);
  };

  const onInput = (event) => {
    const element = event.composedPath()[0];
    if (!(element instanceof Element) || !ids.has(element) || !('value' in element) || element.type === 'file') return;
    const isChecked = element.checked === true;
    change(SOURCE.input, { id: idOf(element), text: masked(element, String(element.value)), isChecked });
    if (element.type !== 'radio' || !isChecked || !element.name) return;
    // The other buttons of the group have changed without an event.
    for (const other of element.getRootNode().querySelectorAll(`input[type=radio][name="${CSS.escape(element.name)}"]`)) {
      if (other !== element && ids.has(other)) change(SOURCE.input, { id: idOf(other), text: other.value, isChecked: false });
    }
  };

  const onMouse = (event) => {
    const target = event.composedPath()[0];
    const type = MOUSE[event.type];
    if (!ids.has(target)) return;
    const { clientX, clientY } = event.changedTouches?.[0] ?? event;
    const place = clientX === undefined ? {} : { x: clientX, y: clientY };
    change(SOURCE.mouse, { type, id: idOf(target), ...place });
  };

  // Told at once, and once more after a moment if it went on meanwhile.
  const scrolling = new Map();
  const onScroll = (event) => {
    const target = event.composedPath()[0];
    if (!ids.has(target) || scrolling.has(target)) return;
    const tell = () => {
      const element = target.nodeType === Node.DOCUMENT_NODE ? target.scrollingElement : target;
      const [x, y] = [element?.scrollLeft ?? 0, element?.scrollTop ?? 0];
      if (scrolling.get(target) === `${x} ${y}`) return;
      scrolling.set(target, `${x} ${y}`);
      if (isOn) change(SOURCE.scroll, { id: idOf(target), x, y });
    };
    tell();
    setTimeout(() => {
      tell();
      scrolling.delete(target);
    }, SAME_MOMENT);
  };

  let path = [];
  let moving = 0;
  const onMove = (event) => {
    const now = Date.now();
    const target = event.composedPath()[0];
    if ((path.length && now - path.at(-1).at < 50) || !ids.has(target)) return;
    path.push({ at: now, x: event.clientX, y: event.clientY, id: idOf(target) });
    moving ||= setTimeout(() => {
      const end = Date.now();
      if (isOn) change(SOURCE.mouseMove, { positions: path.map(({ at, x, y, id }) => ({ x, y, id, timeOffset: at - end })) });
      path = [];
      moving = 0;
    }, 500);
  };

  const guarded = (handle) => (event) => {
    if (isOn) handle(event);
  };

  const listen = (doc) => {
    const on = (event, handle) => doc.addEventListener(event, guarded(handle), { capture: true, passive: true, signal: listeners.signal });
    for (const event of Object.keys(MOUSE)) on(event, onMouse);
    on('input', onInput);
    on('change', onInput);
    on('scroll', onScroll);
    on('mousemove', onMove);
  };

  const begin = () => {
    if (isOn) return;
    isOn = true;
    snapshot();
    listen(document);
    const on = (event, handle) => window.addEventListener(event, guarded(handle), { signal: listeners.signal });
    on('resize', () => change(SOURCE.resize, { width: window.innerWidth, height: window.innerHeight }));
    on('pagehide', flush);
    if (document.readyState !== 'complete') {
      on('load', () => {
        emit(TYPE.load, {});
        snapshot();
      });
    }
    // Rules that scripts put into a style sheet are no change that can be watched.
    setInterval(() => isOn && countRules() !== rules && snapshot(), 1000);
  };

  globalThis.openhandsRecorder = {
    snapshot: () => (isOn ? snapshot() : begin()),
    flush,
    stop: () => {
      flush();
      isOn = false;
      listeners.abort();
      for (const observer of observers) observer.disconnect();
      delete globalThis.openhandsRecorder;
    },
  };

  if (document.readyState === 'loading') {
    document.addEventListener(
      'DOMContentLoaded',
      () => {
        emit(TYPE.domContentLoaded, {});
        begin();
      },
      { once: true, signal: listeners.signal },
    );
  } else begin();
}
