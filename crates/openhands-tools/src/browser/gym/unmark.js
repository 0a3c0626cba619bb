// Takes the ids back out of what describes the elements of a frame.
() => {
  const state = window[Symbol.for('openhands.gym')];
  if (!state) return;
  for (const element of state.marked) {
    for (const carrier of ['aria-roledescription', 'aria-description']) {
      const carried = element.getAttribute(carrier);
      if (carried === null) continue;
      const original = carried.replace(/^browsergym_id_[a-zA-Z0-9]+ /, '');
      if (original) element.setAttribute(carrier, original);
      else element.removeAttribute(carrier);
    }
  }
  state.marked = [];
}
