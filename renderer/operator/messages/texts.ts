import type { Language } from '../../shared/format/languages.ts';
import { isolateParameters } from '../../shared/messages/isolate-parameters.ts';
import type { Localised } from '../../shared/messages/localised.ts';
import type { en } from './en.ts';

type ExchangeMessages = Localised<typeof en>;

const catalogues: Record<Language, () => Promise<ExchangeMessages>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
};

/** Texts in the current language. Loaded before the first page. */
// oxlint-disable-next-line import/no-mutable-exports -- set once, before anything that reads it is loaded
export let messages: ExchangeMessages;

/** Loads one language only. */
export async function loadExchangeTexts(language: Language): Promise<void> {
  messages = isolateParameters(await catalogues[language]());
}
