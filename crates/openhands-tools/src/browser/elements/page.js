// What the browser tools know of a page: its interactive elements under numbers that stay theirs.
//
// Runs in an isolated world of a frame, where the page can neither see nor disturb it. It reaches the documents of the
// same origin below that frame, and every shadow root that is open or was handed over by `adopt`.
() => {
  'use strict';

  const NOTHING_TO_USE = new Set([
    'html', 'head', 'body', 'script', 'style', 'link', 'meta', 'title', 'base', 'template', 'noscript', 'br', 'hr', 'option',
    'optgroup', 'iframe', 'frame',
  ]);
  const SKIPPED = new Set(['head', 'script', 'style', 'template', 'noscript']);
  const NOT_ENTERED = new Set(['svg', 'math', 'canvas', 'video', 'audio', 'object']);
  const ALWAYS_USED = new Set(['a', 'button', 'input', 'select', 'textarea', 'summary']);
  const USED_ROLES = new Set([
    'button', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'checkbox', 'switch', 'tab',
    'textbox', 'combobox', 'listbox', 'slider', 'spinbutton', 'search', 'searchbox', 'treeitem', 'gridcell',
  ]);
  const HANDLERS = ['onclick', 'onmousedown', 'onmouseup', 'onkeydown', 'onkeyup', 'onpointerdown', 'onpointerup'];
  // The built-in elements that can carry a shadow root; elements with a dash in their name can, too.
  const HOSTS = new Set(['article', 'aside', 'blockquote', 'div', 'footer', 'header', 'main', 'nav', 'section', 'span', 'p']);
  // Input types whose value is set as a whole: their widgets take no plain keystrokes.
  const SET_WHOLE = new Set(['date', 'datetime-local', 'month', 'week', 'time', 'color', 'range']);
  const BUTTONS = new Set(['submit', 'button', 'reset', 'image']);
  // What is counted in the parts of a page that are not listed.
  const USED = 'a,button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[onclick],[contenteditable]';
  const MAX_DEPTH = 1000;
  const BAND = 1000; // pixels above and below the viewport whose elements are listed as well
  const TEXT = 100;
  const OPTIONS = 30;
  const MAX_SUSPECTS = 64;

  // Tells this world from the one of another document that took its place.
  const token = `${performance.timeOrigin}-${Math.random()}`;
  const known = new Map();
  const numbers = new WeakMap();
  const closed = new WeakMap();
  const asked = new WeakMap();
  let suspects = [];
  let band = BAND;

  const numberOf = (element) => {
    let number = numbers.get(element);
    if (number === undefined) {
      number = known.size + 1;
      numbers.set(element, number);
      known.set(number, new WeakRef(element));
    }
    return number;
  };

  const find = (number) => {
    const element = known.get(number)?.deref();
    return element?.isConnected ? element : null;
  };

  const shadowOf = (element) => element.shadowRoot ?? closed.get(element) ?? null;

  const documentIn = (element) => {
    try {
      return element.contentDocument;
    } catch {
      return null;
    }
  };

  const parentOf = (node) => node.parentElement ?? node.getRootNode().host ?? null;

  const holds = (ancestor, node) => {
    for (let at = node; at; at = parentOf(at)) {
      if (at === ancestor) return true;
    }
    return false;
  };

  // Where a document of the same origin begins in the coordinates of this world's own frame.
  const originOf = (doc) => {
    let x = 0;
    let y = 0;
    for (let view = doc.defaultView; view && view !== window; view = view.parent) {
      const frame = view.frameElement;
      if (!frame) break;
      const box = frame.getBoundingClientRect();
      x += box.left + frame.clientLeft;
      y += box.top + frame.clientTop;
    }
    return { x, y };
  };

  const cut = (text, length) => {
    if (text.length <= length) return text;
    return Array.from(text).slice(0, length).join('');
  };

  const squeeze = (text) => text.replace(/\s+/g, ' ').trim();

  // The texts right below an element and one level deeper; of all levels if those say nothing.
  const textOf = (element) => {
    const parts = [];
    const add = (node) => {
      const text = squeeze(node.data);
      if (text) parts.push(text);
    };
    for (const child of element.childNodes) {
      if (child.nodeType === 3) add(child);
      else if (child.nodeType === 1) {
        for (const inner of child.childNodes) if (inner.nodeType === 3) add(inner);
      }
    }
    const text = parts.join('\n') || (element.childElementCount ? squeeze(element.textContent) : '');
    return cut(text, TEXT);
  };

  const referred = (element, attribute) => {
    const names = element.getAttribute(attribute);
    if (!names) return '';
    const root = element.getRootNode();
    const texts = names.split(/\s+/).map((name) => root.getElementById?.(name)?.textContent ?? '');
    return squeeze(texts.join(' '));
  };

  // What a person would call an element whose own text says nothing.
  const labelOf = (element) => {
    const given = referred(element, 'aria-labelledby') || squeeze(element.getAttribute('aria-label') ?? '');
    if (given) return cut(given, TEXT);
    for (const label of element.labels ?? []) {
      const copy = Array.from(label.childNodes, (node) => (node.nodeType === 3 || !holds(node, element) ? node.textContent : ''));
      const text = squeeze(copy.join(' ')) || squeeze(label.textContent);
      if (text) return cut(text, TEXT);
    }
    const image = element.querySelector?.('img[alt],svg title');
    const other =
      element.getAttribute('title') ||
      element.getAttribute('alt') ||
      image?.getAttribute('alt') ||
      image?.textContent ||
      element.getAttribute('name') ||
      '';
    return cut(squeeze(other), TEXT);
  };

  const describe = (element) => {
    const tag = element.localName;
    let text = textOf(element);
    const more = {};
    const placeholder = element.getAttribute('placeholder');
    if (placeholder) more.placeholder = cut(placeholder, TEXT);
    const href = element.getAttribute('href');
    if (href) more.href = cut(href, 500);
    if (tag === 'input') {
      const type = element.type;
      if (type !== 'text') more.type = type;
      if (BUTTONS.has(type)) text = cut(squeeze(element.value), TEXT);
      else if (type === 'checkbox' || type === 'radio') more.checked = element.checked;
      else if (type === 'file') {
        if (element.files.length) more.value = cut(Array.from(element.files, (file) => file.name).join(', '), TEXT);
      } else if (element.value) more.value = type === 'password' ? '<hidden>' : cut(element.value, TEXT);
    } else if (tag === 'textarea') {
      text = cut(squeeze(element.defaultValue), TEXT);
      if (element.value && element.value !== element.defaultValue) more.value = cut(element.value, TEXT);
    } else if (tag === 'select') {
      const labels = Array.from(element.options, (option) => cut(squeeze(option.label), 60));
      text = cut(labels.join('\n'), TEXT);
      more.value = Array.from(element.selectedOptions, (option) => cut(squeeze(option.label), 60)).join(', ');
      more.options = labels.slice(0, OPTIONS);
      if (labels.length > OPTIONS) more.options.push(`... ${labels.length - OPTIONS} more`);
      if (element.multiple) more.multiple = true;
    } else {
      for (const state of ['checked', 'expanded', 'selected', 'pressed']) {
        const value = element.getAttribute(`aria-${state}`);
        if (value === 'true' || value === 'mixed') more[state] = value === 'true' ? true : value;
      }
    }
    // The text of a field is what was put into it.
    if (!text || tag === 'select' || tag === 'textarea' || element.isContentEditable) {
      const label = labelOf(element);
      if (label && label !== placeholder) more.label = label;
    }
    return [tag, text, more];
  };

  const isOff = (element) =>
    element.disabled === true ||
    element.getAttribute('aria-disabled') === 'true' ||
    (element.localName === 'input' && element.type === 'hidden') ||
    // The buttons of a disabled fieldset have no `disabled` of their own.
    (ALWAYS_USED.has(element.localName) && element.matches(':disabled'));

  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  const hasBox = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };

  // Whether an element is there to be used, by what it is.
  const isUsed = (element, tag) => {
    if (ALWAYS_USED.has(tag)) return true;
    // Most elements of a page end here, and a page may have many.
    if (tag !== 'label' && element.attributes.length === 0) return false;
    const role = element.getAttribute('role');
    if (role && USED_ROLES.has(role)) return true;
    if (tag === 'label') {
      const control = element.control;
      return Boolean(control) && !isOff(control) && !(hasBox(control) && isShown(control));
    }
    if (element.hasAttribute('tabindex') && element.tabIndex >= 0) return true;
    if (HANDLERS.some((name) => element.hasAttribute(name))) return true;
    return element.hasAttribute('contenteditable') && element.isContentEditable && !element.parentElement?.isContentEditable;
  };

  // A script listens to clicks on the element, or the cursor becomes a hand at it and not yet around it.
  const seemsUsed = (element, heard) => {
    if (heard?.has(element)) return true;
    if (getComputedStyle(element).cursor !== 'pointer') return false;
    const parent = parentOf(element);
    return !parent || getComputedStyle(parent).cursor !== 'pointer';
  };

  const deepest = (doc, x, y) => {
    let hit = doc.elementFromPoint(x, y);
    for (let depth = 0; hit && depth < 50; depth += 1) {
      const inner = shadowOf(hit)?.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  const belongs = (element, hit) => holds(element, hit) || (element.localName !== 'label' && hit.closest?.('label')?.control === element);

  // The places of a box that are tried for a click, from the middle outwards.
  const spots = (box) => {
    const at = (across, down) => [box.left + box.width * across, box.top + box.height * down];
    return [at(0.5, 0.5), at(0.1, 0.5), at(0.9, 0.5), at(0.5, 0.1), at(0.5, 0.9)];
  };

  const isInside = (view, [x, y]) => x >= 0 && y >= 0 && x < view.innerWidth && y < view.innerHeight;

  // Whether `hit` lies above the page's flow: only such a thing hides what is under it, the rest may be scrolled away.
  const isLayer = (hit, element) => {
    for (let at = hit; at && !holds(at, element); at = parentOf(at)) {
      const style = getComputedStyle(at);
      if (style.position === 'fixed' || style.position === 'absolute' || style.position === 'sticky') return true;
      if (at.localName === 'dialog' && at.open) return true;
    }
    // The backdrop of a dialog belongs to the dialog.
    return hit.localName === 'dialog' && hit.open;
  };

  // The layers that are seen at some places of the window, each with its box: only below them can anything be covered.
  const layersOf = (doc) => {
    const view = doc.defaultView;
    const found = new Map();
    for (let down = 0; down < 8; down += 1) {
      for (let across = 0; across < 12; across += 1) {
        const hit = deepest(doc, (view.innerWidth * (across + 0.5)) / 12, (view.innerHeight * (down + 0.5)) / 8);
        for (let at = hit; at && !found.has(at); at = parentOf(at)) {
          const { position } = getComputedStyle(at);
          const isOne = position === 'fixed' || position === 'absolute' || position === 'sticky' || (at.localName === 'dialog' && at.open);
          found.set(at, isOne ? at.getBoundingClientRect() : null);
        }
      }
    }
    // A modal dialog's backdrop covers the whole window.
    const whole = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight };
    return Array.from(found)
      .filter(([, box]) => box)
      .map(([layer, box]) => ({ layer, box: layer.matches(':modal') ? whole : box }));
  };

  const isUnderLayer = (element, box, layers) =>
    layers.some(
      ({ layer, box: over }) =>
        box.left < over.right && box.right > over.left && box.top < over.bottom && box.bottom > over.top && !holds(layer, element),
    );

  const isCovered = (element, box, view) => {
    const tried = spots(box).filter((spot) => isInside(view, spot));
    if (!tried.length) return false;
    let layer = false;
    for (const [x, y] of tried) {
      const hit = deepest(element.ownerDocument, x, y);
      if (!hit || belongs(element, hit) || holds(hit, element)) return false;
      layer ||= isLayer(hit, element);
    }
    return layer;
  };

  const isFar = (box, view) => box.bottom < -band || box.top > view.innerHeight + band;

  const isNear = (element) => {
    const box = element.getBoundingClientRect();
    const view = element.ownerDocument.defaultView;
    return box.width > 0 && box.height > 0 && box.right > 0 && box.left < view.innerWidth && !isFar(box, view);
  };

  // Walks the elements below a node and everything of the same origin inside them, as far as `visit` lets it.
  const walk = (node, visit, depth = 0) => {
    if (depth > MAX_DEPTH) return;
    for (let element = node.firstElementChild; element; element = element.nextElementSibling) {
      if (!visit(element)) continue;
      const inner = shadowOf(element);
      if (inner) walk(inner, visit, depth + 1);
      const tag = element.localName;
      if (tag === 'iframe' || tag === 'frame') {
        const doc = documentIn(element);
        if (doc && isNear(element)) walk(doc, visit, depth + 1);
      } else if (element.firstElementChild) walk(element, visit, depth + 1);
    }
  };

  const suspect = (element, tag) => {
    if (suspects.length >= MAX_SUSPECTS || element.shadowRoot || closed.has(element)) return;
    const custom = tag.includes('-');
    if (!custom && (!HOSTS.has(tag) || element.firstChild)) return;
    // An element of an own kind is asked again once its kind is defined.
    const stage = custom ? element.matches(':defined') : true;
    if (asked.get(element) === stage || !hasBox(element)) return;
    asked.set(element, stage);
    suspects.push(element);
  };

  // The elements of the document on which scripts listen to clicks. The page's own world found them, which alone can see
  // that; it names them by their place among all elements, and how many there were.
  const heardOf = (clicks) => {
    if (!clicks?.places?.length) return null;
    const all = document.querySelectorAll('*');
    if (all.length !== clicks.count) return null;
    return new Set(clicks.places.map((place) => all[place]));
  };

  const list = (most, heard) => {
    suspects = [];
    const listed = [];
    const left = { above: 0, below: 0, covered: 0, more: 0 };
    const layers = new Map();
    const layersIn = (doc) => {
      let found = layers.get(doc);
      if (!found) {
        found = layersOf(doc);
        layers.set(doc, found);
      }
      return found;
    };
    const visited = new Set();
    const far = (element, box) => {
      left[box.bottom < 0 ? 'above' : 'below'] += element.querySelectorAll(USED).length + (element.matches(USED) ? 1 : 0);
    };
    // Lists an element if it is to be used; says whether to look inside it.
    const look = (element) => {
      if (listed.length > most) return false;
      const tag = element.localName;
      if (SKIPPED.has(tag) || visited.has(element)) return false;
      const enters = !NOT_ENTERED.has(tag);
      if (element.shadowRoot === null && (tag.includes('-') || HOSTS.has(tag))) suspect(element, tag);
      const isFile = tag === 'input' && element.type === 'file';
      const box = element.getBoundingClientRect();
      const view = element.ownerDocument.defaultView;
      const isEmpty = box.width <= 0 || box.height <= 0;
      if (!isFile) {
        // What is far away has nothing near in it, unless it overflows. What floats near is found by `layersIn`.
        if (!isEmpty && isFar(box, view) && element.scrollHeight <= box.height + 1 && !shadowOf(element)) {
          far(element, box);
          return false;
        }
        if (isEmpty || box.right <= 0 || box.left >= view.innerWidth || isFar(box, view)) return enters;
      }
      // The options of a list that is open on the page can be clicked; those of a closed one are told with it.
      const inList = tag === 'option' && element.closest('select')?.size > 1;
      if (NOTHING_TO_USE.has(tag) && !inList) return enters;
      if (!inList && !isUsed(element, tag) && !seemsUsed(element, heard)) return enters;
      if (isOff(element) || element.closest('[inert]')) return enters;
      if (!isFile && !isShown(element)) return enters;
      visited.add(element);
      const seen = box.bottom > 0 && box.top < view.innerHeight;
      if (seen && !isFile && isUnderLayer(element, box, layersIn(element.ownerDocument)) && isCovered(element, box, view)) {
        left.covered += 1;
        return enters;
      }
      listed.push([numberOf(element), seen ? 1 : 0, ...describe(element)]);
      return enters;
    };
    walk(document, look);
    for (const doc of [document, ...layers.keys()]) {
      for (const { layer } of layersIn(doc)) {
        if (look(layer)) walk(layer, look);
      }
    }
    if (listed.length > most) {
      // The rest is only counted.
      listed.pop();
      const { above, below, covered } = left;
      left.more = Math.max(1, document.querySelectorAll(USED).length - listed.length - above - below - covered);
    }
    return { listed, left };
  };

  const scan = (most, clicks) => {
    const heard = heardOf(clicks);
    let { listed, left } = list(most, heard);
    if (left.more > 0 && listed.length && !listed[0][1]) {
      // What is above took the room of what is in sight.
      band = 0;
      ({ listed, left } = list(most, heard));
      band = BAND;
    }
    const root = document.documentElement;
    return JSON.stringify({
      token,
      title: document.title,
      elements: listed,
      left,
      suspects: suspects.length,
      viewport: [window.innerWidth, window.innerHeight],
      page: [Math.max(root?.scrollWidth ?? 0, document.body?.scrollWidth ?? 0), Math.max(root?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0)],
      scroll: [Math.round(window.scrollX), Math.round(window.scrollY)],
    });
  };

  const kindOf = (element) => {
    const tag = element.localName;
    if (tag === 'select') return 'select';
    if (tag === 'textarea') return 'text';
    if (tag !== 'input') return element.isContentEditable ? 'editable' : 'other';
    if (element.type === 'file') return 'file';
    if (element.type === 'checkbox' || element.type === 'radio' || BUTTONS.has(element.type)) return 'other';
    return SET_WHOLE.has(element.type) ? 'whole' : 'text';
  };

  // Brings an element into view and says where to click it.
  const aim = (number) => {
    const element = find(number);
    if (!element) return null;
    const view = element.ownerDocument.defaultView;
    let box = element.getBoundingClientRect();
    const middle = spots(box)[0];
    if (!isInside(view, middle) || !isInside(window, middle) || view !== window) {
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      box = element.getBoundingClientRect();
    }
    const origin = originOf(element.ownerDocument);
    const boxes = Array.from(element.getClientRects()).filter((one) => one.width > 0 && one.height > 0);
    const tried = (boxes.length > 1 ? boxes : [box]).slice(0, 4).flatMap(spots);
    const free = tried.find(([x, y]) => {
      const hit = isInside(view, [x, y]) && deepest(element.ownerDocument, x, y);
      return hit && belongs(element, hit);
    });
    const [x, y] = free ?? spots(box)[0];
    return JSON.stringify({
      x: x + origin.x,
      y: y + origin.y,
      free: Boolean(free),
      boxed: box.width > 0 && box.height > 0,
      tag: element.localName,
      kind: kindOf(element),
      href: element.getAttribute('href') ? String(element.href?.baseVal ?? element.href ?? '') : '',
      off: isOff(element),
    });
  };

  const click = (number) => {
    const element = find(number);
    element?.click();
    return JSON.stringify(Boolean(element));
  };

  // Puts the cursor into an element with everything in it selected, so that what is typed replaces it.
  const enter = (number) => {
    const element = find(number);
    if (!element) return null;
    element.scrollIntoViewIfNeeded?.();
    element.focus({ preventScroll: true });
    const kind = kindOf(element);
    if (kind === 'text') element.select?.();
    if (kind === 'editable') element.ownerDocument.getSelection()?.selectAllChildren(element);
    let active = document.activeElement;
    for (let depth = 0; active && depth < 50; depth += 1) {
      const inner = shadowOf(active)?.activeElement ?? documentIn(active)?.activeElement;
      if (!inner) break;
      active = inner;
    }
    return JSON.stringify({
      kind,
      focused: active === element || holds(element, active),
      full: Boolean(kind === 'text' ? element.value : element.textContent),
      locked: element.readOnly === true || isOff(element),
      multiple: element.multiple === true,
    });
  };

  const tell = (element) => {
    element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
  };

  const setValue = (number, text) => {
    const element = find(number);
    if (!element) return null;
    element.focus({ preventScroll: true });
    element.value = text;
    tell(element);
    return JSON.stringify({ value: element.value });
  };

  const choose = (number, text) => {
    const element = find(number);
    if (!element) return null;
    const options = Array.from(element.options);
    const pick = (wanted) => {
      const plain = squeeze(wanted);
      const tests = [
        (option) => squeeze(option.label) === plain || squeeze(option.text) === plain,
        (option) => option.value === wanted,
        (option) => squeeze(option.label).toLowerCase() === plain.toLowerCase(),
      ];
      for (const test of tests) {
        const found = options.find((option) => !option.disabled && test(option));
        if (found) return found;
      }
      return null;
    };
    let wanted = [pick(text)];
    if (element.multiple && !wanted[0]) wanted = text.split(/[,\n]/).filter((part) => part.trim()).map(pick);
    if (wanted.some((option) => !option)) {
      return JSON.stringify({ chosen: null, options: options.slice(0, OPTIONS).map((option) => squeeze(option.label)) });
    }
    element.focus({ preventScroll: true });
    for (const option of options) option.selected = wanted.includes(option);
    tell(element);
    return JSON.stringify({ chosen: wanted.map((option) => squeeze(option.label)) });
  };

  const canMove = (element, by) => {
    const most = element.scrollHeight - element.clientHeight;
    return by < 0 ? element.scrollTop > 0 : element.scrollTop < most - 1;
  };

  // Scrolls what scrolls in the middle of the window, or the page; says whether that moved, or another process must do it.
  const scroll = (by) => {
    const middle = deepest(document, window.innerWidth / 2, window.innerHeight / 2);
    const isFrame = middle?.localName === 'iframe' || middle?.localName === 'frame';
    const inner = isFrame ? documentIn(middle)?.scrollingElement : null;
    if (isFrame && !documentIn(middle)) return JSON.stringify({ moved: false, elsewhere: true });
    const candidates = inner ? [inner] : [];
    for (let at = middle; at; at = parentOf(at)) {
      const { overflowY } = getComputedStyle(at);
      if (overflowY === 'auto' || overflowY === 'scroll' || overflowY === 'overlay') candidates.push(at);
    }
    if (document.scrollingElement) candidates.push(document.scrollingElement);
    const target = candidates.find((element) => canMove(element, by));
    target?.scrollBy({ top: by, behavior: 'instant' });
    return JSON.stringify({ moved: Boolean(target), elsewhere: false });
  };

  return {
    token,
    scan,
    scroll,
    aim,
    click,
    enter,
    setValue,
    choose,
    find,
    shadowOf,
    documentIn,
    suspects: () => suspects,
    adopt: (host, root) => {
      closed.set(host, root);
    },
    // Whether this frame's elements were listed by the frame around it already.
    isReachedFromAbove: () => {
      try {
        return window !== window.parent && window.frameElement !== null;
      } catch {
        return false;
      }
    },
  };
}
