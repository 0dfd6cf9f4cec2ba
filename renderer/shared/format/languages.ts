import { languageFor as firstSpoken, type Language } from '../../../server/wire/language.ts';

export type { Language };

/** The languages the pages speak, each by its own name, and the country whose dates and numbers it uses. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB' },
  de: { name: 'Deutsch', locale: 'de-DE' },
} as const satisfies Readonly<Record<Language, unknown>>;

const KEPT_AS = 'pda-language';

/** What was chosen here; else the first that the browser asks for and we speak; else English. */
export function languageFor(chosen: string | null, wanted: readonly string[]): Language {
  return firstSpoken(chosen === null ? wanted : [chosen, ...wanted]);
}

/** The language that this page speaks from its first text to its last; English where there is no page. */
export function currentLanguage(): Language {
  return languageFor(typeof document === 'undefined' ? null : document.documentElement.lang, []);
}

/** Settles the page's language, before any text is loaded. */
export function initLanguage(): Language {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(KEPT_AS);
  } catch {
    // Storage can be switched off; the browser's choice is a good answer then.
  }
  const language = languageFor(chosen, navigator.languages);
  document.documentElement.lang = language;
  return language;
}

/** Keeps the choice in this browser and loads the page anew: every text is settled once, when it starts. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEPT_AS, language);
  location.reload();
}
