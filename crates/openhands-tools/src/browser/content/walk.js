// The visible content of a page as a flat stream: texts, the beginnings of elements and their ends.
//
// Runs beside `page.js` in an isolated world and is given what that knows: shadow roots and the documents of frames. A text
// is a string, the beginning of an element `[tag, is a block, attributes]`, its end 0. What another process shows is a frame
// without content here; its own stream comes from there.
(page) => {
  'use strict';

  const SKIPPED = new Set([
    'head', 'script', 'style', 'link', 'meta', 'title', 'template', 'noscript', 'svg', 'math', 'canvas', 'video', 'audio', 'object',
    'embed', 'datalist', 'option', 'optgroup',
  ]);
  const INLINE = new Set(['inline', 'inline-block', 'inline-flex', 'inline-grid', 'inline-table', 'contents', 'ruby', 'ruby-text']);
  const SILENT = new Set(['hidden', 'submit', 'button', 'reset', 'image', 'password', 'file', 'color', 'range']);
  const MAX_DEPTH = 1000;
  const MAX_CHARACTERS = 8000000;

  const stream = [];
  let characters = 0;

  const say = (text, keepsLines) => {
    characters += text.length;
    if (!keepsLines) {
      stream.push(text);
      return;
    }
    text.split('\n').forEach((line, index) => {
      if (index > 0) stream.push(['br', 0], 0);
      if (line) stream.push(line);
    });
  };

  const formText = (element) => {
    const tag = element.localName;
    if (tag === 'select') return Array.from(element.selectedOptions, (option) => option.label).join(', ');
    if (tag === 'textarea') return element.value;
    if (element.type === 'checkbox') return element.checked ? '[x] ' : '[ ] ';
    if (element.type === 'radio') return element.checked ? '(x) ' : '( ) ';
    return SILENT.has(element.type) ? '' : element.value;
  };

  const attributesOf = (element, tag) => {
    if (tag === 'a') {
      const href = element.getAttribute('href');
      return href ? { href } : null;
    }
    if (tag === 'img') {
      const src = element.getAttribute('src') ?? '';
      return { alt: element.getAttribute('alt') ?? '', src: src.startsWith('data:') ? '' : src };
    }
    if (tag === 'ol') return { start: element.start };
    return null;
  };

  const childrenOf = (element, tag) => {
    if (tag === 'iframe' || tag === 'frame') return page.documentIn(element)?.body ? [page.documentIn(element).body] : [];
    const inner = page.shadowOf(element);
    if (inner) return inner.childNodes;
    if (tag === 'slot') {
      const given = element.assignedNodes({ flatten: true });
      if (given.length) return given;
    }
    return element.childNodes;
  };

  const visit = (node, seen, keepsLines, depth) => {
    if (characters > MAX_CHARACTERS) return;
    if (node.nodeType === 3) {
      if (seen) say(node.data, keepsLines);
      return;
    }
    if (node.nodeType !== 1 || depth > MAX_DEPTH) return;
    const tag = node.localName;
    if (SKIPPED.has(tag)) return;
    const style = getComputedStyle(node);
    if (style.display === 'none' || (tag !== 'slot' && style.display !== 'contents' && !node.checkVisibility())) return;
    const isSeen = style.visibility === 'visible';
    if (tag === 'input' || tag === 'select' || tag === 'textarea') {
      const text = isSeen ? formText(node) : '';
      if (text) say(` ${text} `, false);
      return;
    }
    const lines = tag !== 'pre' && style.whiteSpaceCollapse?.startsWith('preserve');
    const attributes = attributesOf(node, tag);
    const begin = [tag, INLINE.has(style.display) ? 0 : 1];
    if (attributes) begin.push(attributes);
    if (tag === 'img' && !isSeen) return;
    stream.push(begin);
    for (const child of childrenOf(node, tag)) {
      visit(child, isSeen, lines || (tag !== 'pre' && keepsLines), depth + 1);
    }
    stream.push(0);
  };

  const root = document.documentElement;
  if (document.body) visit(document.body, true, false, 0);
  else if (root) visit(root, true, false, 0);
  return JSON.stringify({ token: page.token, html: root?.outerHTML.length ?? 0, stream });
}
