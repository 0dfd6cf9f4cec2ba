import type * as en from '../../dashboard/messages/en.ts';
import type { Language } from '../format/languages.ts';
import { isolateParameters } from './isolate-parameters.ts';
import type { Localised } from './localised.ts';

/** English defines the keys of all languages. */
export type Messages = Localised<typeof en>;

const catalogues: Record<Language, () => Promise<Messages>> = {
  en: () => import('../../dashboard/messages/en.ts'),
  de: () => import('../../dashboard/messages/de.ts'),
};

/** Texts in the current language. Loaded once, before the modules of the pages. */
// oxlint-disable-next-line import/no-mutable-exports -- set once, before anything that reads it is loaded
export let m: Messages;

/** Loads one language only. */
export async function loadTexts(language: Language): Promise<void> {
  m = isolateParameters(await catalogues[language]());
}
