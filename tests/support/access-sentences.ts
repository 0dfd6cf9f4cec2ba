import type { EntryNames } from '../../renderer/dashboard/pages/history/reader-text.ts';
import { OWNER_DECISIONS } from '../../renderer/dashboard/pages/history/owner-decisions.ts';
import { EVENT_ACTIONS } from '../../server/wire/access-kinds.ts';
import type { LedgerRow } from '../../server/wire/ledger.ts';

/** Kinds of changes to a consent that the detail of an example entry may name. */
const CONSENT_CHANGES = ['narrowed', 'shortened', 'narrowedAndShortened'] as const;

export const EXAMPLE_NAMES: EntryNames = {
  applicationName: () => 'Acme',
  contractName: () => 'Walk Study',
  functionName: () => 'Daily sums',
  endpointName: (endpoint) => (endpoint === 'fitness/walks' ? 'Walks' : 'Daily steps'),
  consentName: ({ kind, name, detail }) =>
    ({ function: 'Daily sums', link: detail, user: detail, folder: name, collection: name })[kind as string] ?? 'Acme',
  consentTime: () => undefined,
  consentChange: ({ detail }) => CONSENT_CHANGES.find((change) => change === detail),
};

export const EXAMPLE_ROW: LedgerRow = {
  id: 1,
  time: '2026-03-04T12:00:00.000Z',
  who: { kind: 'application', name: 'acme' },
  action: '',
  outcome: 'allowed',
  status: 200,
  reason: null,
  consent: null,
  endpoints: [],
  files: [],
  records: 0,
  fields: null,
  bytes: 0,
  address: '',
  count: 1,
  last: null,
};
export const OWNER_PRINCIPAL = { kind: 'owner', name: '' } as const;
const GUEST = { kind: 'user', name: 'u', person: 'grace' } as const;
const FILE = { endpoints: ['files:documents'], files: [{ fileId: 'f', name: 'passport.pdf' }], records: 1 };
const MOVE = { endpoints: ['fitness/steps', 'fitness/walks'], records: 42 };
const DATA = { endpoints: ['fitness/steps'], records: 42 };

const consentOf = (action: string): LedgerRow['consent'] => {
  if (action.includes('debit')) return { kind: 'debit', name: 'dd-1', detail: 'p' };
  if (action.includes('/contracts/')) return { kind: 'contract', name: 'walking-study', detail: 'Walk Study' };
  if (action.includes('/profile/')) return { kind: 'profile', name: 'photo', detail: 'public' };
  if (action.includes('share-links')) return { kind: 'link', name: 'l', detail: 'Trip' };
  if (action.includes('collections'))
    return { kind: 'collection', name: 'Trip', detail: action.includes('shared-') ? 'Grace' : '' };
  if (action.includes('/charts/')) return { kind: 'chart', name: 'Long walks', detail: 'Grace' };
  if (/sharedViewId|shared-views/u.test(action)) return { kind: 'table', name: 'Long walks', detail: 'Grace' };
  if (action.includes('shared-folders')) return { kind: 'folder', name: 'Trips', detail: 'Grace' };
  if (/users|:userId|invitations/u.test(action)) return { kind: 'user', name: 'u', detail: 'Grace' };
  if (action.includes('function')) return { kind: 'function', name: 'sums', detail: '' };
  return /applications|\/login/u.test(action) ? { kind: 'application', name: 'acme', detail: '' } : null;
};

/** Returns a typical entry of an action. */
export const exampleRow = (action: string): LedgerRow => {
  const row = { ...EXAMPLE_ROW, action };
  if (action === 'call without a valid token')
    return { ...row, who: { kind: 'visitor', name: '' }, outcome: 'refused', status: 401, reason: 'not_authenticated' };
  if (action.endsWith('/record-moves')) return { ...row, ...MOVE, who: OWNER_PRINCIPAL };
  if (action.endsWith('/owner/exports')) return { ...row, endpoints: DATA.endpoints, who: OWNER_PRINCIPAL };
  if (Object.hasOwn(OWNER_DECISIONS, action))
    return {
      ...row,
      who: OWNER_PRINCIPAL,
      consent: consentOf(action),
      ...(/:fileId|files\/(?:move|archives)/u.test(action) ? FILE : {}),
    };
  if (['invitation-accepted', 'guest-left', 'passkey-added', 'passkey-removed'].includes(action))
    return { ...row, who: GUEST };
  if (action === 'debit-resumed') return { ...row, who: { kind: 'pda', name: '' }, consent: consentOf(action) };
  if (Object.hasOwn(EVENT_ACTIONS, action) && action !== 'login')
    return { ...row, who: OWNER_PRINCIPAL, consent: action.startsWith('debit-') ? consentOf(action) : null };
  if (action === 'GET /storage/:fileId') return { ...row, ...FILE, who: GUEST };
  if (/^GET .guest.(?:tables|charts)/u.test(action)) return { ...row, ...DATA, who: GUEST, consent: consentOf(action) };
  if (action.startsWith('GET /guest')) return { ...row, ...FILE, who: GUEST };
  if (action.includes('/share/'))
    return {
      ...row,
      ...FILE,
      who: { kind: 'visitor', name: '' },
      consent: { kind: 'link', name: 'l', detail: 'Trip' },
    };
  if (action === 'function run') return { ...row, ...DATA, who: { kind: 'function', name: 'sums' } };
  if (action === 'GET /profile' || action.endsWith('/phata/profile'))
    return { ...row, ...DATA, who: { kind: 'visitor', name: '' }, fields: ['name'] };
  if (action.includes('contract-data'))
    return {
      ...row,
      ...DATA,
      who: { kind: 'contract', name: 'walking-study' },
      consent: { kind: 'contract', name: 'walking-study', detail: '' },
    };
  if (action.includes('/files/file/')) return { ...row, ...FILE };
  return /\/(?:data|data-batch|data-record|combinator|data-bundle)(?:\/|$)|values/u.test(action)
    ? { ...row, ...DATA }
    : row;
};

/** The sentence of each action in English and German. */
export const ACCESS_SENTENCES: Readonly<Record<string, readonly [en: string, de: string]>> = {
  'sign-in': ['You signed in', 'Du hast eine Sitzung begonnen'],
  'sign-out': ['You signed out', 'Du hast eine Sitzung beendet'],
  'set-up': ['You set up this PDA', 'Du hast dieses PDA eingerichtet'],
  'password-change': ['You changed the password', 'Du hast das Passwort geändert'],
  'service-token': [
    'You let another service verify your identity',
    'Du hast einen anderen Dienst deine Identität prüfen lassen',
  ],
  'address-change': ['You changed the address of this PDA', 'Du hast die Adresse dieses PDA geändert'],
  'go-dark': ['You made this PDA unreachable from outside', 'Du hast dieses PDA von außen unerreichbar gemacht'],
  'go-light': [
    'You made this PDA reachable from outside again',
    'Du hast dieses PDA wieder von außen erreichbar gemacht',
  ],
  erasure: ['You permanently erased data', 'Du hast Daten endgültig gelöscht'],
  'export-all': ['You exported the whole account as an archive', 'Du hast das ganze Konto als Archiv exportiert'],
  'arrival-settled': ['You activated the account that moved here', 'Du hast das umgezogene Konto aktiviert'],
  'second-factor-on': ['You turned on the second factor', 'Du hast den zweiten Faktor eingeschaltet'],
  'second-factor-change': ['You changed the second factor', 'Du hast den zweiten Faktor geändert'],
  'second-factor-off': ['You turned off the second factor', 'Du hast den zweiten Faktor ausgeschaltet'],
  'recovery-code': ['You used a recovery code', 'Du hast einen Wiederherstellungscode benutzt'],
  'debit-approve-notification': [
    'You allowed a request in a notification, Acme',
    'Du hast eine Anfrage in einer Mitteilung erlaubt, Acme',
  ],
  'debit-deny-notification': [
    'You declined a request in a notification, Acme',
    'Du hast eine Anfrage in einer Mitteilung abgelehnt, Acme',
  ],
  'debit-resumed': ['Sharing with Acme resumed as planned', 'Die Freigabe für Acme hat wie geplant wieder begonnen'],
  'debit-check-refused': [
    'You checked a consent: its requester gets no data, Acme',
    'Du hast eine Einwilligung geprüft: Der Anfragende bekommt keine Daten, Acme',
  ],
  'debit-check-shared': [
    'You checked a consent: its requester still gets data, Acme',
    'Du hast eine Einwilligung geprüft: Der Anfragende bekommt noch Daten, Acme',
  ],
  'debit-check-inconclusive': [
    'You checked a consent: no result, Acme',
    'Du hast eine Einwilligung geprüft: kein Ergebnis, Acme',
  ],
  login: ['Acme got access when you signed in', 'Acme hat durch deine Anmeldung Zugriff bekommen'],
  'call without a valid token': [
    'An anonymous visitor sent a request without a valid key, refused',
    'Ein anonymer Besucher hat ohne gültigen Schlüssel angefragt, abgewiesen',
  ],
  'GET /api/v2.6/data-debit/*key/enable': [
    'You allowed Acme to read data',
    'Du hast den Zugriff auf Daten für Acme erlaubt',
  ],
  'POST /api/v2.6/owner/debits/*key/grant': [
    'You allowed Acme to read data',
    'Du hast den Zugriff auf Daten für Acme erlaubt',
  ],
  'POST /api/v2.6/owner/debits/*key/change': [
    'You changed what Acme can see',
    'Du hast die Freigabe für Acme geändert',
  ],
  'POST /api/v2.6/owner/debits/*key/pause': ['You paused sharing with Acme', 'Du hast die Freigabe für Acme pausiert'],
  'POST /api/v2.6/owner/debits/*key/resume': [
    'You resumed sharing with Acme',
    'Du hast die Freigabe für Acme fortgesetzt',
  ],
  'GET /api/v2.6/data-debit/*key/disable': ['You stopped sharing with Acme', 'Du hast die Freigabe für Acme beendet'],
  'POST /api/v2.6/data-debit/*key/reject': [
    'You declined a request from Acme',
    'Du hast eine Freigabe für Acme abgelehnt',
  ],
  'DELETE /api/v2.6/data-debit/*key': [
    'You removed the consent for Acme',
    'Du hast die Einwilligung für Acme entfernt',
  ],
  'GET /api/v2.6/applications/:id/setup': ['You set up Acme', 'Du hast Acme eingerichtet'],
  'POST /api/v2.6/owner/applications/:id/setup': ['You set up Acme', 'Du hast Acme eingerichtet'],
  'POST /api/v2.6/owner/login': ['You set up Acme', 'Du hast Acme eingerichtet'],
  'GET /api/v2.6/applications/:id/disable': ['You stopped Acme', 'Du hast Acme gestoppt'],
  'GET /api/v2.6/she/function/:id/enable': [
    'You turned on the function Daily sums',
    'Du hast die Funktion Daily sums eingeschaltet',
  ],
  'POST /api/v2.6/owner/functions/:id/enable': [
    'You turned on the function Daily sums',
    'Du hast die Funktion Daily sums eingeschaltet',
  ],
  'GET /api/v2.6/she/function/:id/disable': [
    'You turned off the function Daily sums',
    'Du hast die Funktion Daily sums ausgeschaltet',
  ],
  'DELETE /api/v2.6/owner/functions/:id': [
    'You removed the function Daily sums',
    'Du hast die Funktion Daily sums entfernt',
  ],
  'GET /api/v2.6/files/allowAccess/:fileId/:userId': [
    'You shared passport.pdf with Grace',
    'Du hast passport.pdf für Grace freigegeben',
  ],
  'GET /api/v2.6/files/restrictAccess/:fileId/:userId': [
    'You stopped sharing passport.pdf with Grace',
    'Du hast die Freigabe für Grace beendet: passport.pdf',
  ],
  'POST /api/v2.6/files/allowAccess/:userId': ['You shared files with Grace', 'Du hast Dateien für Grace freigegeben'],
  'POST /api/v2.6/files/restrictAccess/:userId': [
    'You stopped sharing files with Grace',
    'Du hast die Freigabe von Dateien für Grace beendet',
  ],
  'DELETE /api/v2.6/owner/files/readers/:userId': [
    'You stopped sharing files with Grace',
    'Du hast die Freigabe von Dateien für Grace beendet',
  ],
  'POST /api/v2.6/owner/shared-folders': [
    'You shared the folder Trips with Grace',
    'Du hast den Ordner Trips für Grace freigegeben',
  ],
  'DELETE /api/v2.6/owner/shared-folders/:sharedFolderId': [
    'You stopped sharing the folder Trips with Grace',
    'Du hast die Freigabe des Ordners Trips für Grace beendet',
  ],
  'POST /api/v2.6/owner/shared-collections': [
    'You shared the collection Trip with Grace',
    'Du hast die Sammlung Trip für Grace freigegeben',
  ],
  'DELETE /api/v2.6/owner/shared-collections/:sharedCollectionId': [
    'You stopped sharing the collection Trip with Grace',
    'Du hast die Freigabe der Sammlung Trip für Grace beendet',
  ],
  'POST /api/v2.6/owner/collections/:collectionId/files': [
    'You added files to the shared collection Trip',
    'Du hast Dateien zur freigegebenen Sammlung Trip hinzugefügt',
  ],
  'POST /api/v2.6/owner/collections/:collectionId/files/remove': [
    'You removed files from the shared collection Trip',
    'Du hast Dateien aus der freigegebenen Sammlung Trip entfernt',
  ],
  'DELETE /api/v2.6/owner/collections/:collectionId': [
    'You deleted the shared collection Trip',
    'Du hast die freigegebene Sammlung Trip gelöscht',
  ],
  'POST /api/v2.6/owner/shared-views': [
    'You shared the table Long walks with Grace',
    'Du hast die Tabelle Long walks für Grace freigegeben',
  ],
  'DELETE /api/v2.6/owner/shared-views/:sharedViewId': [
    'You stopped sharing the table Long walks with Grace',
    'Du hast die Freigabe für Grace beendet: die Tabelle Long walks',
  ],
  'GET /api/v2.6/files/allowAccessPublic/:fileId': [
    'You made passport.pdf public',
    'Du hast passport.pdf öffentlich gemacht',
  ],
  'GET /api/v2.6/files/restrictAccessPublic/:fileId': [
    'You made passport.pdf private',
    'Du hast passport.pdf wieder privat gemacht',
  ],
  'POST /api/v2.6/owner/files/make-private': [
    'You made all public files private',
    'Du hast alle öffentlichen Dateien privat gemacht',
  ],
  'POST /api/v2.6/owner/files/move': [
    'You moved passport.pdf to another folder',
    'Du hast passport.pdf in einen anderen Ordner verschoben',
  ],
  'POST /api/v2.6/owner/files/archives': ['You downloaded passport.pdf', 'Du hast passport.pdf heruntergeladen'],
  'POST /api/v2.6/owner/record-moves': [
    'You moved 42 records between Daily steps and Walks',
    'Du hast 42 Datensätze zwischen Daily steps und Walks verschoben',
  ],
  'POST /api/v2.6/owner/share-links': ['You created the share link Trip', 'Du hast den Freigabe-Link Trip erstellt'],
  'PUT /api/v2.6/owner/share-links/:linkId': [
    'You changed the share link Trip',
    'Du hast den Freigabe-Link Trip geändert',
  ],
  'DELETE /api/v2.6/owner/share-links/:linkId': [
    'You revoked the share link Trip',
    'Du hast den Freigabe-Link Trip widerrufen',
  ],
  'DELETE /api/v2.6/owner/share-links': ['You revoked all share links', 'Du hast alle Freigabe-Links widerrufen'],
  'POST /users/user': ['You added Grace as a guest', 'Du hast Grace als Gast hinzugefügt'],
  'PUT /users/user/:userId/update': ['You changed the details of Grace', 'Du hast die Angaben für Grace geändert'],
  'PUT /users/user/:userId/enable': ['You unblocked Grace', 'Du hast Grace entsperrt'],
  'PUT /users/user/:userId/disable': ['You blocked Grace', 'Du hast Grace gesperrt'],
  'PUT /users/user/:userId/delete': ['You removed Grace from your guests', 'Du hast Grace aus den Gästen entfernt'],
  'PUT /api/v2.6/owner/profile/public': [
    'You made the profile field Photo public',
    'Du hast das Profilfeld Foto öffentlich gemacht',
  ],
  'PUT /api/v2.6/owner/profile/photo': [
    'You replaced the photo of the public profile',
    'Du hast das Foto des öffentlichen Profils ersetzt',
  ],
  'DELETE /api/v2.6/owner/profile/photo': [
    'You removed the photo of the public profile',
    'Du hast das Foto des öffentlichen Profils entfernt',
  ],
  'POST /api/v2.6/owner/contracts/:contractId/leave': [
    'You left the contract Walk Study',
    'Du hast den Vertrag Walk Study verlassen',
  ],
  'POST /api/v2.6/owner/exports': [
    'You exported records of Daily steps',
    'Du hast Datensätze aus Daily steps exportiert',
  ],
  'POST /api/v2.6/owner/ledger-exports': ['You exported the access history', 'Du hast den Zugriffsverlauf exportiert'],
  'function run': [
    'Function Daily sums read 42 records of Daily steps, entire records',
    'Funktion Daily sums hat 42 Datensätze aus Daily steps gelesen, ganze Datensätze',
  ],
  'GET /profile': [
    'An anonymous visitor read 42 records of Daily steps, 1 field',
    'Ein anonymer Besucher hat 42 Datensätze aus Daily steps gelesen, 1 Feld',
  ],
  'GET /api/v2.6/phata/profile': [
    'An anonymous visitor read 42 records of Daily steps, 1 field',
    'Ein anonymer Besucher hat 42 Datensätze aus Daily steps gelesen, 1 Feld',
  ],
  'GET /share/:token': [
    'A visitor with the link Trip saw passport.pdf in the list of files',
    'Ein Besucher mit dem Link Trip hat passport.pdf in der Liste der Dateien gesehen',
  ],
  'POST /share/:token': [
    'A visitor with the link Trip entered the password',
    'Ein Besucher mit dem Link Trip hat das Passwort eingegeben',
  ],
  'GET /share/:token/archive/all': [
    'A visitor with the link Trip downloaded 1 file as an archive',
    'Ein Besucher mit dem Link Trip hat 1 Datei als Archiv heruntergeladen',
  ],
  'GET /guest': ['A guest, grace, saw the list of 1 file', 'Ein Gast, grace, hat die Liste von 1 Datei gesehen'],
  'GET /guest/files/:fileId': [
    'A guest, grace, saw the page of passport.pdf',
    'Ein Gast, grace, hat die Seite von passport.pdf gesehen',
  ],
  'GET /guest/folders/:sharedFolderId': [
    'A guest, grace, opened a folder with 1 file',
    'Ein Gast, grace, hat einen Ordner mit 1 Datei geöffnet',
  ],
  'GET /guest/folders/:sharedFolderId/archive': [
    'A guest, grace, downloaded 1 file as an archive',
    'Ein Gast, grace, hat 1 Datei als Archiv heruntergeladen',
  ],
  'GET /guest/collections/:sharedCollectionId': [
    'A guest, grace, opened a collection with 1 file',
    'Ein Gast, grace, hat eine Sammlung mit 1 Datei geöffnet',
  ],
  'GET /guest/collections/:sharedCollectionId/archive': [
    'A guest, grace, downloaded 1 file as an archive',
    'Ein Gast, grace, hat 1 Datei als Archiv heruntergeladen',
  ],
  'GET /guest/tables/:sharedViewId': [
    'A guest, grace, viewed 42 records of the table Long walks',
    'Ein Gast, grace, hat 42 Datensätze der Tabelle Long walks gesehen',
  ],
  'GET /guest/tables/:sharedViewId/csv': [
    'A guest, grace, downloaded 42 records of the table Long walks',
    'Ein Gast, grace, hat 42 Datensätze der Tabelle Long walks heruntergeladen',
  ],
  'GET /guest/charts/:sharedViewId': [
    'A guest, grace, viewed the chart Long walks',
    'Ein Gast, grace, hat das Diagramm Long walks gesehen',
  ],
  'GET /guest/archive': [
    'A guest, grace, downloaded 1 file as an archive',
    'Ein Gast, grace, hat 1 Datei als Archiv heruntergeladen',
  ],
  'invitation-accepted': [
    'A guest, grace, accepted your invitation',
    'Ein Gast, grace, hat deine Einladung angenommen',
  ],
  'guest-left': ['A guest, grace, deleted their account here', 'Ein Gast, grace, hat das eigene Konto hier gelöscht'],
  'passkey-added': ['A guest, grace, added a passkey', 'Ein Gast, grace, hat einen Passkey hinzugefügt'],
  'passkey-removed': ['A guest, grace, removed a passkey', 'Ein Gast, grace, hat einen Passkey entfernt'],
  'POST /api/v2.6/owner/invitations': ['You invited Grace', 'Du hast Grace eingeladen'],
  'POST /api/v2.6/owner/invitations/password': [
    'You created a link for Grace to set a new password',
    'Du hast für Grace einen Link für ein neues Passwort erstellt',
  ],
  'POST /api/v2.6/owner/invitations/:invitationId/renew': [
    'You replaced the link for Grace',
    'Du hast den Link für Grace ersetzt',
  ],
  'DELETE /api/v2.6/owner/invitations/:invitationId': [
    'You revoked the link for Grace',
    'Du hast den Link für Grace zurückgezogen',
  ],
  'GET /storage/:fileId': [
    'A guest, grace, downloaded passport.pdf',
    'Ein Gast, grace, hat passport.pdf heruntergeladen',
  ],
  'GET /users/access_token/validate': ['Acme checked its access token', 'Acme hat das eigene Zugriffstoken geprüft'],
  'DELETE /users/access_token': ['Acme signed out', 'Acme hat eine Sitzung beendet'],
  'GET /api/v2.6/data/sources': ['Acme saw which data you have', 'Acme hat gesehen, welche Daten du hast'],
  'GET /api/v2.6/data/:namespace/*endpoint': [
    'Acme read 42 records of Daily steps, entire records',
    'Acme hat 42 Datensätze aus Daily steps gelesen, ganze Datensätze',
  ],
  'POST /api/v2.6/data/:namespace/*endpoint': [
    'Acme stored 42 records in Daily steps',
    'Acme hat 42 Datensätze in Daily steps gespeichert',
  ],
  'DELETE /api/v2.6/data/:namespace/*endpoint': [
    'Acme deleted 42 records of Daily steps',
    'Acme hat 42 Datensätze aus Daily steps gelöscht',
  ],
  'PUT /api/v2.6/data': ['Acme changed 42 records in Daily steps', 'Acme hat 42 Datensätze in Daily steps geändert'],
  'DELETE /api/v2.6/data': [
    'Acme deleted 42 records of Daily steps',
    'Acme hat 42 Datensätze aus Daily steps gelöscht',
  ],
  'POST /api/v2.6/data-batch': [
    'Acme stored 42 records in Daily steps',
    'Acme hat 42 Datensätze in Daily steps gespeichert',
  ],
  'GET /api/v2.6/data-record/:recordId': [
    'Acme read 42 records of Daily steps, entire records',
    'Acme hat 42 Datensätze aus Daily steps gelesen, ganze Datensätze',
  ],
  'GET /api/v2.6/combinator': ['Acme saw your saved queries', 'Acme hat deine gespeicherten Abfragen gesehen'],
  'POST /api/v2.6/combinator/*name': ['Acme saved a query', 'Acme hat eine Abfrage gespeichert'],
  'PUT /api/v2.6/combinator/*name': ['Acme saved a query', 'Acme hat eine Abfrage gespeichert'],
  'GET /api/v2.6/combinator/*name': [
    'Acme read 42 records of Daily steps, entire records',
    'Acme hat 42 Datensätze aus Daily steps gelesen, ganze Datensätze',
  ],
  'DELETE /api/v2.6/combinator/*name': ['Acme deleted a saved query', 'Acme hat eine gespeicherte Abfrage gelöscht'],
  'GET /api/v2.6/data-bundle': ['Acme saw your saved queries', 'Acme hat deine gespeicherten Abfragen gesehen'],
  'POST /api/v2.6/data-bundle/*name': [
    'You saved the bundle of the public profile',
    'Du hast das Datenbündel des öffentlichen Profils gespeichert',
  ],
  'PUT /api/v2.6/data-bundle/*name': [
    'You saved the bundle of the public profile',
    'Du hast das Datenbündel des öffentlichen Profils gespeichert',
  ],
  'GET /api/v2.6/data-bundle/*name/structure': [
    'Acme saw your saved queries',
    'Acme hat deine gespeicherten Abfragen gesehen',
  ],
  'GET /api/v2.6/data-bundle/*name': [
    'Acme read 42 records of Daily steps, entire records',
    'Acme hat 42 Datensätze aus Daily steps gelesen, ganze Datensätze',
  ],
  'DELETE /api/v2.6/data-bundle/*name': [
    'You removed the bundle of the public profile',
    'Du hast das Datenbündel des öffentlichen Profils entfernt',
  ],
  'GET /api/v2.6/data-debit': [
    'Acme checked the status of its Data Debit',
    'Acme hat den Status der eigenen Datenfreigabe geprüft',
  ],
  'POST /api/v2.6/data-debit/*key': ['Acme asked you for data', 'Acme hat dich um Daten gebeten'],
  'PUT /api/v2.6/data-debit/*key': [
    'Acme asked to change what you share',
    'Acme hat dich um eine Änderung der Freigabe gebeten',
  ],
  'GET /api/v2.6/data-debit/*key': [
    'Acme checked the status of its Data Debit',
    'Acme hat den Status der eigenen Datenfreigabe geprüft',
  ],
  'GET /api/v2.6/data-debit/*key/values': [
    'Acme read 42 records of Daily steps, entire records',
    'Acme hat 42 Datensätze aus Daily steps gelesen, ganze Datensätze',
  ],
  'POST /api/v2.6/contract-data/read/:namespace/*endpoint': [
    'Walk Study read 42 records of Daily steps, entire records, under contract walking-study',
    'Walk Study hat 42 Datensätze aus Daily steps gelesen, ganze Datensätze, durch Vertrag walking-study',
  ],
  'POST /api/v2.6/contract-data/create/:namespace/*endpoint': [
    'Walk Study stored 42 records in Daily steps, under contract walking-study',
    'Walk Study hat 42 Datensätze in Daily steps gespeichert, durch Vertrag walking-study',
  ],
  'PUT /api/v2.6/contract-data/update/:namespace': [
    'Walk Study changed 42 records in Daily steps, under contract walking-study',
    'Walk Study hat 42 Datensätze in Daily steps geändert, durch Vertrag walking-study',
  ],
  'POST /api/v2.6/files/upload': ['Acme stored a file', 'Acme hat eine Datei gespeichert'],
  'PUT /api/v2.6/files/file/:fileId/complete': ['Acme stored a file', 'Acme hat eine Datei gespeichert'],
  'GET /api/v2.6/files/file/:fileId': [
    'Acme saw the details of passport.pdf',
    'Acme hat die Metadaten von passport.pdf gesehen',
  ],
  'PUT /api/v2.6/files/file/:fileId': [
    'Acme changed the details of a file',
    'Acme hat die Metadaten einer Datei geändert',
  ],
  'POST /api/v2.6/files/search': ['Acme requested files', 'Acme hat Dateien angefragt'],
  'GET /api/v2.6/she/function': ['Acme read the list of functions', 'Acme hat die Liste der Funktionen angesehen'],
  'GET /api/v2.6/she/function/:id': ['Acme read the list of functions', 'Acme hat die Liste der Funktionen angesehen'],
  'GET /api/v2.6/she/function/:id/trigger': ['Acme started a function', 'Acme hat eine Funktion gestartet'],
  'GET /api/v2.6/she/feed': ['Acme read the feed', 'Acme hat den Feed gelesen'],
  'GET /api/v2.6/she/feed/*endpoint': ['Acme read the feed', 'Acme hat den Feed gelesen'],
  'POST /api/v2.6/exchange/claims': [
    'Acme asked you for data for an Offer that you claimed',
    'Acme hat dich für ein Angebot, an dem du teilnimmst, um Daten gebeten',
  ],
};
