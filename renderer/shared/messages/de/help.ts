import type { help as en } from '../en/help.ts';
import type { Localised } from '../localised.ts';

/** Links to the guide, which is in English. */
export const help = {
  help: 'Hilfe (englisch)',
  label: 'Hilfe zu dieser Seite (englisch), öffnet sich in einem neuen Fenster',
  failed: 'Die Hilfe ließ sich nicht öffnen',
  signIn: 'Hilfe bei der Anmeldung (englisch)',
} satisfies Localised<typeof en>;
