import { languageFor, type Language } from '../../server/wire/language.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export const TEXTS: Readonly<Record<Language, Texts>> = { en, de };

/** The texts in the first of the system's languages that we speak; else in English. */
export function textsFor(languages: readonly string[]): Texts {
  return TEXTS[languageFor(languages)];
}
