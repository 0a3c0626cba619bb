// What the origin of a frame keeps in the browser; null for one that cannot keep anything.
(() => {
  try {
    const entries = (storage) => Object.keys(storage).map((name) => ({ name, value: storage.getItem(name) ?? '' }));
    return { origin: location.origin, localStorage: entries(localStorage), sessionStorage: entries(sessionStorage) };
  } catch {
    return null;
  }
})()
