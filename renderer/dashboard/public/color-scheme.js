// Sets the colour scheme before the first paint, so that a dark page does not flash white. It is a separate file,
// because the Content-Security-Policy forbids inline scripts.
(() => {
  let selected = null;
  try {
    selected = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Storage is disabled: use the setting of the system.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const scheme = selected === 'light' || selected === 'dark' ? selected : dark ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
