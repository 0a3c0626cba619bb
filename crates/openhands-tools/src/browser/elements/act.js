// What is done to an element: where to click it, how it is entered, what is chosen in it.
(page) => {
  'use strict';

  const { BUTTONS, OPTIONS, belongs, deepest, documentIn, find, holds, isInside, isOff, parentOf, shadowOf, spots, squeeze } = page;
  // Input types whose value is set as a whole: their widgets take no plain keystrokes.
  const SET_WHOLE = new Set(['date', 'datetime-local', 'month', 'week', 'time', 'color', 'range']);

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

  return { aim, click, enter, setValue, choose, scroll };
}
