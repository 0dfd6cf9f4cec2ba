// Language, colour scheme and button of the offline page. A file of its own: the policy allows no inline scripts.
(() => {
  /** @param {string} name */
  const readSetting = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      // Storage can be disabled; the settings of the browser are used then.
      return null;
    }
  };
  const scheme = readSetting('mantine-color-scheme-value');
  if (scheme === 'light' || scheme === 'dark') document.documentElement.style.colorScheme = scheme;

  const preferred = [readSetting('pda-language'), ...navigator.languages].map((name) =>
    name?.slice(0, 2).toLowerCase(),
  );
  const language = preferred.find((name) => name === 'en' || name === 'de') ?? 'en';
  document.documentElement.lang = language;
  for (const part of document.querySelectorAll('div')) part.hidden = part.lang !== language;
  document.title = document.querySelector('div:not([hidden]) h1')?.textContent ?? '';

  for (const button of document.querySelectorAll('button')) button.addEventListener('click', () => location.reload());
  addEventListener('online', () => location.reload());
})();
