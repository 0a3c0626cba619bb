// The list of a page's interactive elements near what is visible.
(page) => {
  'use strict';

  const { CONTROLS, belongs, deepest, describe, documentIn, holds, isInside, isOff, numberOf, parentOf, shadowOf, spots } = page;
  const NOTHING_TO_USE = new Set([
    'html', 'head', 'body', 'script', 'style', 'link', 'meta', 'title', 'base', 'template', 'noscript', 'br', 'hr', 'option',
    'optgroup', 'iframe', 'frame',
  ]);
  const SKIPPED = new Set(['head', 'script', 'style', 'template', 'noscript']);
  const NOT_ENTERED = new Set(['svg', 'math', 'canvas', 'video', 'audio', 'object']);
  const USED_ROLES = new Set([
    'button', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'checkbox', 'switch', 'tab',
    'textbox', 'combobox', 'listbox', 'slider', 'spinbutton', 'search', 'searchbox', 'treeitem', 'gridcell',
  ]);
  const HANDLERS = ['onclick', 'onmousedown', 'onmouseup', 'onkeydown', 'onkeyup', 'onpointerdown', 'onpointerup'];
  // The built-in elements that can carry a shadow root; elements with a dash in their name can, too.
  const HOSTS = new Set(['article', 'aside', 'blockquote', 'div', 'footer', 'header', 'main', 'nav', 'section', 'span', 'p']);
  // What is counted in the parts of a page that are not listed.
  const USED = 'a,button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[onclick],[contenteditable]';
  const MAX_DEPTH = 1000;
  const BAND = 1000; // pixels above and below the viewport whose elements are listed as well
  const MAX_SUSPECTS = 64;

  const asked = new WeakMap();
  let suspects = [];
  let band = BAND;

  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  const hasBox = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };

  // Whether an element is there to be used, by what it is.
  const isUsed = (element, tag) => {
    if (CONTROLS.has(tag)) return true;
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
    if (suspects.length >= MAX_SUSPECTS || element.shadowRoot || page.isClosed(element)) return;
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
      token: page.token,
      title: document.title,
      elements: listed,
      left,
      suspects: suspects.length,
      viewport: [window.innerWidth, window.innerHeight],
      page: [Math.max(root?.scrollWidth ?? 0, document.body?.scrollWidth ?? 0), Math.max(root?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0)],
      scroll: [Math.round(window.scrollX), Math.round(window.scrollY)],
    });
  };

  return { scan, suspects: () => suspects };
}
