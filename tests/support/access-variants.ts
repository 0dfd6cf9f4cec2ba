import type { LedgerRow } from '../../server/wire/ledger.ts';
import { EXAMPLE_ROW, exampleRow, OWNER_PRINCIPAL } from './access-sentences.ts';

const refusedRow = (action: string, reason: string): LedgerRow => ({
  ...exampleRow(action),
  outcome: 'refused',
  status: 403,
  reason,
});

const consentChangeRow = (detail: string): LedgerRow => ({
  ...EXAMPLE_ROW,
  who: OWNER_PRINCIPAL,
  action: 'POST /api/v2.6/owner/debits/*key/change',
  consent: { kind: 'debit', name: 'dd-1', detail },
});

/** Entries whose sentences differ from the sentence of the typical entry of their action. */
export const ACCESS_VARIANTS: readonly { row: LedgerRow; en: string; de: string }[] = [
  {
    row: consentChangeRow('narrowed'),
    en: 'You reduced what Acme can see',
    de: 'Du hast die Freigabe für Acme eingeschränkt',
  },
  {
    row: consentChangeRow('shortened'),
    en: 'You reduced how long Acme can see data',
    de: 'Du hast die Freigabe für Acme verkürzt',
  },
  {
    row: consentChangeRow('narrowedAndShortened'),
    en: 'You reduced what Acme can see and for how long',
    de: 'Du hast die Freigabe für Acme eingeschränkt und verkürzt',
  },
  {
    row: {
      ...EXAMPLE_ROW,
      who: OWNER_PRINCIPAL,
      action: 'PUT /api/v2.6/owner/profile/public',
      consent: { kind: 'profile', name: 'notables', detail: 'private' },
    },
    en: 'You made the profile field Notes private',
    de: 'Du hast das Profilfeld Notizen privat gemacht',
  },
  {
    row: {
      ...EXAMPLE_ROW,
      who: OWNER_PRINCIPAL,
      action: 'POST /api/v2.6/owner/contracts/:contractId/leave',
      consent: { kind: 'contract', name: 'walks', detail: '019bc186-de00-700c-b956-8148866d9b1b' },
    },
    en: 'You left a contract',
    de: 'Du hast einen Vertrag verlassen',
  },
  {
    row: { ...EXAMPLE_ROW, action: 'PUT /api/v2.6/data-bundle/*name' },
    en: 'Acme saved a query',
    de: 'Acme hat eine Abfrage gespeichert',
  },
  {
    row: { ...EXAMPLE_ROW, action: 'DELETE /api/v2.6/data-bundle/*name' },
    en: 'Acme deleted a saved query',
    de: 'Acme hat eine gespeicherte Abfrage gelöscht',
  },
  {
    row: refusedRow('POST /share/:token', 'forbidden'),
    en: 'A visitor with the link Trip entered a wrong password, refused: no permission',
    de: 'Ein Besucher mit dem Link Trip hat ein falsches Passwort eingegeben, abgewiesen: keine Erlaubnis dafür',
  },
  {
    row: refusedRow('guest-left', 'invalid_credentials'),
    en: 'A guest, grace, tried to delete their account here, refused: wrong name or password',
    de: 'Ein Gast, grace, hat versucht, das eigene Konto hier zu löschen, abgewiesen: falscher Name oder falsches Passwort',
  },
  {
    row: refusedRow('passkey-added', 'invalid_credentials'),
    en: 'A guest, grace, tried to add a passkey, refused: wrong name or password',
    de: 'Ein Gast, grace, hat versucht, einen Passkey hinzuzufügen, abgewiesen: falscher Name oder falsches Passwort',
  },
  {
    row: refusedRow('passkey-removed', 'invalid_credentials'),
    en: 'A guest, grace, tried to remove a passkey, refused: wrong name or password',
    de: 'Ein Gast, grace, hat versucht, einen Passkey zu entfernen, abgewiesen: falscher Name oder falsches Passwort',
  },
];
