// Gives every element of a frame an id and notes what can be seen of it, in attributes; the ids also travel in two
// attributes that the accessibility tree shows, until unmark.js takes them back.
//
// Called with the id of the frame's own element as the prefix ('' for the page itself). Nothing is written before all
// has been measured: a page is laid out once, not once an element. Nothing is waited for either: where scripts are
// forbidden, no callback ever comes. What is in view is known when watch.js ends. A document that is still being read
// gives null, unless it is to be taken as it is.
(prefix, asItIs) => {
  if (document.readyState === 'loading' && !asItIs) return null;
  const KEY = Symbol.for('openhands.gym');
  const CARRIERS = ['aria-roledescription', 'aria-description'];
  const CARRIED = /^browsergym_id_[a-zA-Z0-9]+ /;
  const USABLE = new Set(['input', 'textarea', 'select', 'button', 'a', 'iframe', 'video', 'li', 'td', 'option']);
  const HIT = 20; // square pixels
  const NUMBER = /^[0-9]+$/;
  const FRAME = /^[a-z][A-Z]*$/;

  const isFirstVisit = !window[KEY];
  if (isFirstVisit) Object.defineProperty(window, KEY, { value: { elements: 0, frames: 0, marked: [] } });
  const state = window[KEY];
  const tag = (element) => String(element.tagName).toLowerCase();
  const read = (element, name) => {
    try {
      return element[name];
    } catch {
      return undefined; // a custom element may do anything
    }
  };

  // In the order of the document; what is in an element's shadow comes before its own content.
  const all = [];
  const collect = (root) => {
    const stack = [root.firstElementChild];
    while (stack.length) {
      const element = stack.pop();
      if (!element) continue;
      all.push(element);
      stack.push(element.nextElementSibling, element.firstElementChild);
      const shadow = element.shadowRoot;
      if (shadow) stack.push(shadow.firstElementChild);
    }
  };
  collect(document);

  const atPoint = (x, y) => {
    let root = document;
    let found = null;
    for (;;) {
      const next = root.elementFromPoint(x, y);
      if (next === found) return next;
      found = next;
      root = next && next.shadowRoot;
      if (!root) return next;
    }
  };

  const marks = new Set(); // elements to mark on the picture
  const buttons = new Set();
  const isInButton = (element) => {
    for (let each = element; each; each = each.parentElement) if (buttons.has(each)) return true;
    return false;
  };
  for (const element of all) {
    const box = element.getBoundingClientRect();
    const width = box.right - box.left;
    const height = box.bottom - box.top;
    if (width * height < HIT) continue;
    const isUsable = USABLE.has(tag(element)) || (element.onclick ?? null) !== null || getComputedStyle(element).cursor === 'pointer';
    if (!isUsable || isInButton(element)) continue;
    const top = atPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (!top || !(top === element || element.contains(top))) continue;
    const parent = element.parentElement;
    const standsForParent =
      parent && tag(parent) === 'span' && parent.children.length === 1 && parent.getAttribute('role') && marks.has(parent);
    if (standsForParent) continue;
    marks.add(element);
    if (element.matches('button, a, input[type="button"], div[role="button"]')) buttons.add(element);
    for (let each = parent; each; each = each.parentElement) marks.delete(each);
  }

  const nameOfFrame = (number) => {
    let name = '';
    for (let rest = number + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
      name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
    }
    return name[0].toLowerCase() + name.slice(1);
  };
  const taken = new Set();
  const idOf = (element) => {
    const isFrame = tag(element) === 'iframe' || tag(element) === 'frame';
    const known = isFirstVisit ? null : element.getAttribute('bid');
    // Scripts of the page could have written anything, and copies bring the id of another element.
    const isOurs = known !== null && known.startsWith(prefix) && (isFrame ? FRAME : NUMBER).test(known.slice(prefix.length));
    if (isOurs && !taken.has(known)) return known;
    return prefix + (isFrame ? nameOfFrame(state.frames++) : state.elements++);
  };

  // What shows something else as soon as it has the attribute: an item counts its list anew (all items as zero), a button
  // loses the words that the browser gives it, a bar of unknown length stands still. Looking must not change a page.
  const isChangedByValue = (element) =>
    tag(element) === 'li' ||
    (!element.hasAttribute('value') && element.matches('progress, input[type="submit" i], input[type="reset" i]'));

  for (const element of all) {
    const id = idOf(element);
    taken.add(id);
    element.setAttribute('browsergym_visibility_ratio', '0');
    const value = read(element, 'value');
    if (typeof value !== 'undefined' && !isChangedByValue(element)) element.setAttribute('value', String(value));
    const checked = read(element, 'checked');
    if (typeof checked !== 'undefined') {
      if (checked === true) element.setAttribute('checked', '');
      else element.removeAttribute('checked');
    }
    element.setAttribute('bid', id);
    for (const carrier of CARRIERS) {
      const original = (element.getAttribute(carrier) ?? '').replace(CARRIED, '');
      element.setAttribute(carrier, `browsergym_id_${id} ${original}`);
    }
    element.setAttribute('browsergym_set_of_marks', marks.has(element) ? '1' : '0');
  }
  state.marked = all;

  let active = document.activeElement;
  while (active && active.shadowRoot) active = active.shadowRoot.activeElement;
  return { hasFocus: Boolean(active), focused: active ? active.getAttribute('bid') : null };
}
