// What the browser tools know of a page: its elements under numbers that stay theirs, and how they lie in each other.
//
// Runs in an isolated world of a frame, where the page can neither see nor disturb it. It reaches the documents of the
// same origin below that frame, and every shadow root that is open or was handed over by `adopt`.
() => {
  'use strict';

  const CONTROLS = new Set(['a', 'button', 'input', 'select', 'textarea', 'summary']);

  // Tells this world from the one of another document that took its place.
  const token = `${performance.timeOrigin}-${Math.random()}`;
  const known = new Map();
  const numbers = new WeakMap();
  const closed = new WeakMap();

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

  const squeeze = (text) => text.replace(/\s+/g, ' ').trim();

  const isOff = (element) =>
    element.disabled === true ||
    element.getAttribute('aria-disabled') === 'true' ||
    (element.localName === 'input' && element.type === 'hidden') ||
    // The buttons of a disabled fieldset have no `disabled` of their own.
    (CONTROLS.has(element.localName) && element.matches(':disabled'));

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

  return {
    token,
    CONTROLS,
    BUTTONS: new Set(['submit', 'button', 'reset', 'image']),
    OPTIONS: 30, // of a selection list that are told
    numberOf,
    find,
    shadowOf,
    isClosed: (element) => closed.has(element),
    documentIn,
    parentOf,
    holds,
    squeeze,
    isOff,
    deepest,
    belongs,
    spots,
    isInside,
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
