// Called on an element: what it is, what state it is in, and what a script can do to it.
// The answer is an object: {missing: state}, {gone: true}, {wrong: text}, or what the verb gives.
async function (verb, argument) {
  const node = this;
  const controls = "button, input, select, textarea, option, optgroup";
  const clickable = "button, [role=button], [role=checkbox], [role=radio]";

  const above = (element) =>
    element.parentElement || (element.getRootNode() instanceof ShadowRoot ? element.getRootNode().host : null);

  const takesText = (element) => element.matches("input, textarea, select") || element.isContentEditable;

  // What is meant by an element: the button around its text, or the control that a label is for.
  const meant = () => {
    let element = node;
    if (!takesText(element)) element = element.closest(clickable) || element;
    if (!element.matches(`a, [role=link], ${clickable}`) && !takesText(element)) {
      const label = element.closest("label");
      if (label && label.control) element = label.control;
    }
    return element;
  };

  const cut = (text, size) => (text.length > size ? text.substring(0, size - 1) + "\u2026" : text);

  const flags = [
    "checked", "selected", "disabled", "readonly", "multiple",
  ];
  const empty = ["area", "base", "br", "col", "command", "embed", "hr", "img", "input", "keygen", "link", "menuitem",
    "meta", "param", "source", "track", "wbr"];

  // An element in one line, its shortest attributes first.
  const describe = (element) => {
    const name = element.nodeName.toLowerCase();
    const attributes = [...element.attributes]
      .filter((attribute) => attribute.name !== "style")
      .map(({ name, value }) => (!value && flags.includes(name) ? ` ${name}` : ` ${name}="${value}"`))
      .sort((a, b) => a.length - b.length);
    const inside = cut(attributes.join(""), 500);
    const children = [...element.childNodes];
    const isText = children.length <= 5 && children.every((child) => child.nodeType === Node.TEXT_NODE);
    const text = isText ? element.textContent : "\u2026";
    const line = empty.includes(name) ? `<${name}${inside}/>` : `<${name}${inside}>${cut(text, 50)}</${name}>`;
    return line.replace(/\n/g, "\u21b5").replace(/\t/g, "\u21c6");
  };

  const isVisible = (element) => {
    const style = getComputedStyle(element);
    if (style.display === "contents") {
      return [...element.childNodes].some((child) => {
        if (child.nodeType === Node.ELEMENT_NODE) return isVisible(child);
        if (child.nodeType !== Node.TEXT_NODE) return false;
        const range = document.createRange();
        range.selectNode(child);
        const { width, height } = range.getBoundingClientRect();
        return width > 0 && height > 0;
      });
    }
    if (!element.checkVisibility() || style.visibility !== "visible") return false;
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  };

  const canBeDisabled = ["application", "button", "checkbox", "combobox", "composite", "grid", "gridcell", "group", "input",
    "link", "listbox", "menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio", "radiogroup",
    "row", "rowheader", "columnheader", "scrollbar", "searchbox", "select", "separator", "slider", "spinbutton", "switch",
    "tab", "tablist", "textbox", "toolbar", "tree", "treegrid", "treeitem"];

  const isEnabled = (element) => {
    if (element.matches(controls)) {
      if (element.matches(":disabled") || element.hasAttribute("disabled")) return false;
      if (element.matches("option") && element.closest("optgroup[disabled]")) return false;
    }
    const role = element.getAttribute("role");
    if (role ? canBeDisabled.includes(role) : element.matches(`${controls}, a[href], fieldset, summary`)) {
      for (let at = element; at; at = above(at)) {
        const said = (at.getAttribute("aria-disabled") || "").toLowerCase();
        if (said === "true") return false;
        if (said === "false") return true;
      }
    }
    return true;
  };

  const canBeReadOnly = ["checkbox", "combobox", "grid", "gridcell", "listbox", "radiogroup", "slider", "spinbutton",
    "textbox", "columnheader", "rowheader", "searchbox", "switch", "treegrid"];

  const isReadOnly = (element) => {
    if (element.matches("input, textarea, select")) return element.hasAttribute("readonly");
    if (canBeReadOnly.includes(element.getAttribute("role"))) return element.getAttribute("aria-readonly") === "true";
    return element.isContentEditable ? false : undefined;
  };

  // A page in the background draws nothing.
  const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 60); });

  const isStable = async () => {
    const place = () => {
      const { left, top, width, height } = node.getBoundingClientRect();
      return [left, top, width, height].join();
    };
    await frame();
    const before = place();
    await frame();
    return place() === before;
  };

  // The first of the states that is missing.
  const check = async (states) => {
    const isThere = !states.includes("stable") || await isStable();
    if (!node.isConnected) return { gone: true };
    if (!isThere) return { missing: "stable" };
    for (const state of states) {
      const element = state === "visible" ? node : meant();
      if (state === "visible" && !isVisible(element)) return { missing: state };
      if (state === "enabled" && !isEnabled(element)) return { missing: state };
      if (state === "editable") {
        const readOnly = isReadOnly(element);
        if (readOnly === undefined) {
          return { wrong: "Element is not an <input>, <textarea>, <select> or [contenteditable] and does not have a role allowing [aria-readonly]" };
        }
        if (readOnly || !isEnabled(element)) return { missing: state };
      }
    }
    return null;
  };

  const changed = (element) => {
    element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
  };

  // Selects all that is in a field, for the text that takes its place; some fields get their value at once.
  const fill = (value) => {
    const element = meant();
    const name = element.nodeName.toLowerCase();
    if (name === "input") {
      const type = element.type.toLowerCase();
      const isSet = ["color", "date", "time", "datetime-local", "month", "range", "week"].includes(type);
      const isTyped = ["", "email", "number", "password", "search", "tel", "text", "url"].includes(type);
      if (!isSet && !isTyped) return { wrong: `Input of type "${type}" cannot be filled` };
      if (type === "number" && Number.isNaN(Number(value.trim()))) {
        return { wrong: "Cannot type text into input[type=number]" };
      }
      if (isSet) {
        const wanted = value.trim();
        element.focus();
        element.value = wanted;
        if (element.value.toLowerCase() !== wanted.toLowerCase()) return { wrong: "Malformed value" };
        changed(element);
        return { done: true };
      }
      element.select();
    } else if (name === "textarea") {
      element.setSelectionRange(0, element.value.length);
    } else if (element.isContentEditable) {
      const range = document.createRange();
      range.selectNodeContents(element);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    } else {
      return { wrong: "Element is not an <input>, <textarea> or [contenteditable] element" };
    }
    element.focus();
    return { typing: true };
  };

  // Selects options by value or label, and no others.
  const select = (wanted) => {
    const element = meant();
    if (element.nodeName.toLowerCase() !== "select") return { wrong: "Element is not a <select> element" };
    const left = new Set(wanted);
    const chosen = [];
    for (const option of element.options) {
      const names = [option.value, option.label].filter((name) => left.has(name));
      if (!names.length) continue;
      if (!isEnabled(option)) return { retry: "option being selected is not enabled" };
      chosen.push(option);
      if (element.multiple) names.forEach((name) => left.delete(name));
      else {
        left.clear();
        break;
      }
    }
    if (left.size) return { retry: "did not find some options" };
    element.value = undefined;
    for (const option of chosen) option.selected = true;
    changed(element);
    return { done: true };
  };

  // A place of it that can be seen, in the coordinates of its frame.
  const point = () => {
    const inside = (value, size) => Math.min(Math.max(value, 0), size);
    const rects = [...node.getClientRects()];
    if (!rects.length) return { missing: "visible" };
    for (const rect of rects) {
      const left = inside(rect.left, innerWidth), right = inside(rect.right, innerWidth);
      const top = inside(rect.top, innerHeight), bottom = inside(rect.bottom, innerHeight);
      if ((right - left) * (bottom - top) > 0.99) return { x: (left + right) / 2, y: (top + bottom) / 2 };
    }
    return { retry: "element is outside of the viewport" };
  };

  // What is uppermost at a place, seen from the tree that the element is in.
  const topmost = (x, y) => {
    let found = document.elementFromPoint(x, y);
    while (found && found.shadowRoot) {
      const inside = found.shadowRoot.elementFromPoint(x, y);
      if (!inside || inside === found) break;
      found = inside;
    }
    return found;
  };

  // Whether a click at a place gets to the element, or what gets it instead.
  const hit = ({ x, y }) => {
    const target = takesText(node) ? node : node.closest("button, [role=button], a, [role=link]") || node;
    const passed = [];
    for (let at = topmost(x, y); at; at = above(at)) {
      if (at === target) return { done: true };
      passed.push(at);
    }
    const first = describe(passed[0] || document.documentElement);
    // The uppermost part of what covers it says more than a leaf of it.
    for (let at = target; at; at = above(at)) {
      const index = passed.indexOf(at);
      if (index > 1) return { retry: `${first} from ${describe(passed[index - 1])} subtree intercepts pointer events` };
      if (index !== -1) break;
    }
    return { retry: `${first} intercepts pointer events` };
  };

  // Where the inside of a frame begins.
  const corner = () => {
    const { left, top } = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    const size = (name) => parseFloat(style[name]) || 0;
    return {
      x: left + size("borderLeftWidth") + size("paddingLeft"),
      y: top + size("borderTopWidth") + size("paddingTop"),
    };
  };

  const focus = (fresh) => {
    if (!node.isConnected) return { gone: true };
    const was = node.getRootNode().activeElement === node;
    if (node.isContentEditable && !was && document.activeElement && document.activeElement.blur) {
      document.activeElement.blur();
    }
    node.focus();
    if (fresh && !was && node.nodeName.toLowerCase() === "input") {
      try {
        node.setSelectionRange(0, 0);
      } catch {
        // Not all inputs have a cursor.
      }
    }
    return { done: true };
  };

  const scroll = (options) => {
    node.scrollIntoView(options);
    return { done: true };
  };

  switch (verb) {
    case "describe": return { text: describe(node) };
    case "check": return (await check(argument)) || { done: true };
    case "fill": return (await check(["visible", "enabled", "editable"])) || fill(argument);
    case "select": return (await check(["visible", "enabled"])) || select(argument);
    case "point": return point();
    case "hit": return hit(argument);
    case "corner": return corner();
    case "focus": return focus(argument);
    case "scroll": return scroll(argument);
  }
}
