// What is told about an element: its text, and what a person would call it or see in it.
(page) => {
  'use strict';

  const { BUTTONS, OPTIONS, holds, squeeze } = page;
  const TEXT = 100;

  const cut = (text, length) => {
    if (text.length <= length) return text;
    return Array.from(text).slice(0, length).join('');
  };

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

  return { describe };
}
