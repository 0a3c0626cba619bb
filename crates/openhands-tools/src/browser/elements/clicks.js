// Which elements of the document have a script that listens to clicks on them.
//
// Runs in the page's own world, as only there `getEventListeners`, a function of the console, sees the page's listeners. An
// element is named by its place among all elements, since no object can go from one world into another.
(() => {
  const PLAIN = new Set(['html', 'head', 'body', 'script', 'style', 'link', 'meta', 'a', 'button', 'input', 'select', 'textarea', 'br']);
  const EVENTS = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup'];
  const until = performance.now() + 40; // milliseconds
  const all = document.querySelectorAll('*');
  const places = [];
  for (let place = 0; place < all.length; place += 1) {
    const element = all[place];
    if (PLAIN.has(element.localName)) continue;
    if ((place & 255) === 0 && performance.now() > until) break;
    const listeners = getEventListeners(element);
    if (!EVENTS.some((event) => listeners[event])) continue;
    // A frame of the whole application listens for what is inside it.
    if (element.querySelector('a,button,input,select,textarea,[role]')) continue;
    places.push(place);
  }
  // Given by value: a page may have changed how JSON is written.
  return { count: all.length, places };
})()
