import { languageFor as firstSupported, type Language } from '../../../server/wire/language.ts';

export type { Language };

/** Each language's own name and its locale of dates and numbers. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB' },
  de: { name: 'Deutsch', locale: 'de-DE' },
} as const satisfies Readonly<Record<Language, unknown>>;

const STORAGE_KEY = 'pda-language';

/** Returns the chosen language, else the first supported one of the browser, else English. */
export function languageFor(selected: string | null, preferred: readonly string[]): Language {
  return firstSupported(selected === null ? preferred : [selected, ...preferred]);
}

/** Returns the language of the page; English outside of a page. */
export function currentLanguage(): Language {
  return languageFor(typeof document === 'undefined' ? null : document.documentElement.lang, []);
}

/** Sets the language of the page, before any text is loaded. */
export function initLanguage(): Language {
  let selected: string | null = null;
  try {
    selected = localStorage.getItem(STORAGE_KEY);
  } catch {
    // Storage is disabled: use the browser's language.
  }
  const language = languageFor(selected, navigator.languages);
  document.documentElement.lang = language;
  return language;
}

/** Stores the language in this browser and reloads the page, since texts are loaded once at its start. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(STORAGE_KEY, language);
  location.reload();
}
