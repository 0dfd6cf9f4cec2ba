// Sets the language and the colour scheme of the offline page. Reloads the page on a click of its button, and when the
// browser is online again. It is a separate file, because the Content-Security-Policy forbids inline scripts.
(() => {
  /** @param {string} name */
  const readSetting = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      // Storage is disabled: use the settings of the browser.
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
  for (const translation of document.querySelectorAll('div')) translation.hidden = translation.lang !== language;
  document.title = document.querySelector('div:not([hidden]) h1')?.textContent ?? '';

  for (const button of document.querySelectorAll('button')) button.addEventListener('click', () => location.reload());
  addEventListener('online', () => location.reload());
})();
