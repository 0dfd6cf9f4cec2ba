import { languageFor as firstSupported, type Language } from '../../../server/wire/language.ts';

export type { Language };

/** `name`: in the language itself; `locale`: for dates and numbers. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB' },
  de: { name: 'Deutsch', locale: 'de-DE' },
} as const satisfies Readonly<Record<Language, unknown>>;

const STORAGE_KEY = 'pda-language';

/** Returns the selected language, else the browser's first supported one, else English. */
export function languageFor(selected: string | null, preferred: readonly string[]): Language {
  return firstSupported(selected === null ? preferred : [selected, ...preferred]);
}

/** Returns the page's language; English without a page. */
export function currentLanguage(): Language {
  return languageFor(typeof document === 'undefined' ? null : document.documentElement.lang, []);
}

/** Must run before any message is loaded. */
export function initLanguage(): Language {
  let selected: string | null = null;
  try {
    selected = localStorage.getItem(STORAGE_KEY);
  } catch {
    // Without storage, the browser's language applies.
  }
  const language = languageFor(selected, navigator.languages);
  document.documentElement.lang = language;
  return language;
}

/** Reloads the page, because messages are loaded only once. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(STORAGE_KEY, language);
  location.reload();
}
