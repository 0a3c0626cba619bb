// The element with this attribute, also inside of open shadow trees.
(() => {
  const selector = `[bid=${JSON.stringify(BID)}]`;
  const search = (root) => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const element of root.querySelectorAll("*")) {
      const inside = element.shadowRoot && search(element.shadowRoot);
      if (inside) return inside;
    }
    return null;
  };
  return search(document);
})()
