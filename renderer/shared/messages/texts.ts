import type { en } from '../../dashboard/messages/en.ts';
import type { Language } from '../format/languages.ts';
import { isolateParameters } from './isolate-parameters.ts';
import type { Localised } from './localised.ts';

/** What each language provides. */
export type Messages = Localised<typeof en>;

const catalogues: Record<Language, () => Promise<Messages>> = {
  en: async () => (await import('../../dashboard/messages/en.ts')).en,
  de: async () => (await import('../../dashboard/messages/de.ts')).de,
};

/** Every text of the dashboard, in the page's language. It is there before the first page is loaded, and stays: see `main.tsx`. */
// oxlint-disable-next-line import/no-mutable-exports -- set once, before anything that reads it is loaded
export let m: Messages;

/** Fetches the texts of one language, and no other. */
export async function loadTexts(language: Language): Promise<void> {
  m = isolateParameters(await catalogues[language]());
}
