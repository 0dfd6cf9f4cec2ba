import { languageFor as firstSpoken, type Language } from '../../../server/wire/language.ts';

export type { Language };

/** Languages by their own name, with the locale of dates and numbers. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB' },
  de: { name: 'Deutsch', locale: 'de-DE' },
} as const satisfies Readonly<Record<Language, unknown>>;

const KEPT_AS = 'pda-language';

/** Returns the chosen language, else the first supported one of the browser, else English. */
export function languageFor(chosen: string | null, wanted: readonly string[]): Language {
  return firstSpoken(chosen === null ? wanted : [chosen, ...wanted]);
}

/** Returns the language of the page; English outside of a page. */
export function currentLanguage(): Language {
  return languageFor(typeof document === 'undefined' ? null : document.documentElement.lang, []);
}

/** Sets the language of the page, before any text is loaded. */
export function initLanguage(): Language {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(KEPT_AS);
  } catch {
    // Storage can be disabled; the browser's language is used then.
  }
  const language = languageFor(chosen, navigator.languages);
  document.documentElement.lang = language;
  return language;
}

/** Stores the language in this browser and reloads the page, since texts are loaded once at its start. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT_AS, language);
  location.reload();
}
