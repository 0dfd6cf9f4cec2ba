// Runs before the first paint, so that a dark page never flashes white. A file of its own: the policy allows no inline scripts.
(() => {
  let wanted = null;
  try {
    wanted = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Storage can be switched off; the system's choice is a good answer then.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const scheme = wanted === 'light' || wanted === 'dark' ? wanted : dark ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
