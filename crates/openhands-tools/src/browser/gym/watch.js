// Notes how much of each marked element of a frame is in view, and ends when all are noted.
() => {
  const elements = window[Symbol.for('openhands.gym')]?.marked ?? [];
  const unseen = new Set(elements);
  return new Promise((done) => {
    const observer = new IntersectionObserver((entries) => {
      for (const { target, intersectionRatio } of entries) {
        target.setAttribute('browsergym_visibility_ratio', Math.round(intersectionRatio * 100) / 100);
        unseen.delete(target);
      }
      if (unseen.size === 0) end();
    });
    const end = () => {
      observer.disconnect();
      done();
    };
    // A frame that is not drawn is never told.
    setTimeout(end, 1000);
    for (const element of elements) observer.observe(element);
    if (unseen.size === 0) end();
  });
}
