import type { Language } from '../../shared/format/languages.ts';
import { isolateParameters } from '../../shared/messages/isolate-parameters.ts';
import type { Localised } from '../../shared/messages/localised.ts';
import type { en } from './en.ts';

/** What each language provides. */
export type ExchangeMessages = Localised<typeof en>;

const catalogues: Record<Language, () => Promise<ExchangeMessages>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
};

/** Every text of the operator's page, in the page's language; there before the first page is loaded. */
// oxlint-disable-next-line import/no-mutable-exports -- set once, before anything that reads it is loaded
export let x: ExchangeMessages;

/** Fetches the texts of one language, and no other. */
export async function loadExchangeTexts(language: Language): Promise<void> {
  x = isolateParameters(await catalogues[language]());
}
