import type { LedgerRow } from '../../../shared/api/contract.ts';
import { m } from '../../../shared/messages/texts.ts';

/** Describes access log entries: "Acme read 40 records of fitness/steps, 3 fields, under your consent of 3 March 2026". */

const words = m.history;
const ENDPOINTS_SHOWN = 2;

/** Lookups that entries do not contain: names of applications and times of consents. */
export interface EntryNames {
  applicationName: (id: string) => string;
  /** ISO 8601. */
  consentGiven: (consent: NonNullable<LedgerRow['consent']>) => string | undefined;
}

interface Sentence {
  who: string;
  action: string;
  /** Further parts: fields, consent, or the reason of a refusal. */
  rest: string[];
  /** The complete sentence. */
  text: string;
}

type EntryKind =
  | keyof typeof NOTES
  | 'read'
  | 'store'
  | 'change'
  | 'delete'
  | 'debit-ask'
  | 'debit-change'
  | 'debit-look'
  | 'debit-values'
  | 'file-content'
  | 'file-read'
  | 'file-store'
  | 'file-delete'
  | 'applications'
  | 'other';

/** Entries that are not API requests. */
const NOTES = {
  'sign-in': true,
  'sign-out': true,
  'set-up': true,
  'password-change': true,
  'service-token': true,
  'address-change': true,
  'go-dark': true,
  'go-light': true,
  erasure: true,
  'export-all': true,
  'arrival-settled': true,
  'second-factor-on': true,
  'second-factor-change': true,
  'second-factor-off': true,
  'recovery-code': true,
  'debit-approve-notification': true,
  'debit-deny-notification': true,
  'debit-check-refused': true,
  'debit-check-shared': true,
  'debit-check-inconclusive': true,
  login: true,
  'call without a valid token': true,
} as const;

/** Sign-out of a user. The owner's sign-out is a note. */
const SIGN_OUT = 'DELETE /users/access_token';
/** Records sent to a remote function. */
const FUNCTION_RUN = 'function run';
/** The owner's public profile page. */
const PROFILE_PAGE = 'GET /profile';

function isNote(action: string): action is keyof typeof NOTES {
  return Object.hasOwn(NOTES, action);
}

const DATA_VERBS: Readonly<Record<string, EntryKind>> = { GET: 'read', POST: 'store', PUT: 'change', DELETE: 'delete' };
const FILE_VERBS: Readonly<Record<string, EntryKind>> = {
  GET: 'file-read',
  POST: 'file-read',
  PUT: 'file-store',
  DELETE: 'file-delete',
};

function entryKind(action: string): EntryKind {
  if (isNote(action)) return action;
  if (action === SIGN_OUT) return 'sign-out';
  if (action === FUNCTION_RUN || action === PROFILE_PAGE) return 'read';
  const [method = '', path = ''] = action.split(' ');
  const [resource = '', ...rest] = path.replace(/^\/(?:api\/v2(?:\.6)?\/|(?=storage\/))/, '').split('/');
  if (resource === 'data-debit') {
    if (rest.at(-1) === 'values') return 'debit-values';
    if (method === 'POST') return 'debit-ask';
    return method === 'PUT' ? 'debit-change' : 'debit-look';
  }
  if (resource === 'data' || resource === 'data-batch' || resource === 'data-record')
    return DATA_VERBS[method] ?? 'other';
  if (resource === 'combinator' || resource === 'data-bundle' || resource === 'phata') return 'read';
  if (resource === 'files') return rest[0] === 'upload' ? 'file-store' : (FILE_VERBS[method] ?? 'other');
  if (resource === 'storage') return method === 'PUT' ? 'file-store' : 'file-content';
  if (resource === 'applications') return 'applications';
  if (resource === 'users') return 'sign-in';
  return 'other';
}

/** Shortens `GET /api/v2.6/data/:namespace/*endpoint` by the API prefix. */
function shortAction(action: string): string {
  return action.replace(/\/api\/v2(?:\.6)?\//, '/');
}

const FILES_PREFIX = 'files:';

/** Returns the file source of a `files:` entry; undefined for endpoints, whose names never contain a colon. */
export function fileSource(endpoint: string): string | undefined {
  return endpoint.startsWith(FILES_PREFIX) ? endpoint.slice(FILES_PREFIX.length) : undefined;
}

function placesText(row: LedgerRow): string {
  if (row.endpoints.length === 0) return words.someData;
  const named = row.endpoints.map((endpoint) => fileSource(endpoint) ?? endpoint);
  const shown = named.length <= ENDPOINTS_SHOWN + 1 ? named : named.slice(0, ENDPOINTS_SHOWN);
  return words.and(shown, named.length - shown.length);
}

function readerText({ who, count }: LedgerRow, names: EntryNames): string {
  switch (who.kind) {
    case 'application':
      return names.applicationName(who.name);
    case 'contract':
      return words.who.contract(who.name);
    case 'exchange':
      return words.who.exchange;
    case 'offer':
      return words.who.offer(who.name);
    case 'function':
      return words.who.function(who.name);
    case 'user':
      return who.person ?? words.who.person;
    case 'owner':
      return words.who.you;
    case 'visitor':
      return count > 1 ? words.who.anonymousMany : words.who.anonymous;
  }
}

function allowedText(row: LedgerRow): string {
  const { did } = words;
  const at = placesText(row);
  switch (entryKind(row.action)) {
    case 'sign-in':
      return did.signedIn;
    case 'sign-out':
      return did.signedOut;
    case 'set-up':
      return did.setUp;
    case 'password-change':
      return did.password;
    case 'service-token':
      return did.serviceToken;
    case 'address-change':
      return did.address;
    case 'go-dark':
      return did.dark;
    case 'go-light':
      return did.light;
    case 'erasure':
      return did.erased;
    case 'export-all':
      return did.exportedAll;
    case 'arrival-settled':
      return did.settledHere;
    case 'second-factor-on':
      return did.secondFactorOn;
    case 'second-factor-change':
      return did.secondFactorChange;
    case 'second-factor-off':
      return did.secondFactorOff;
    case 'recovery-code':
      return did.recoveryCode;
    case 'debit-approve-notification':
      return did.approvedInNotification;
    case 'debit-deny-notification':
      return did.deniedInNotification;
    case 'debit-check-refused':
      return did.debitCheckRefused;
    case 'debit-check-shared':
      return did.debitCheckShared;
    case 'debit-check-inconclusive':
      return did.debitCheckInconclusive;
    case 'login':
      return did.login;
    case 'call without a valid token':
    case 'read':
      return row.records > 0 ? did.read(row.records, at) : did.readNothing(at);
    case 'debit-values':
      return row.records > 0 ? did.read(row.records, at) : did.debitValues;
    case 'store':
      return did.stored(row.records, at);
    case 'change':
      return did.changed(row.records, at);
    case 'delete':
      return did.deleted(row.records, at);
    case 'debit-ask':
      return did.debitAsked;
    case 'debit-change':
      return did.debitChanged;
    case 'debit-look':
      return did.debitLooked;
    case 'file-content':
      return did.fileRead(at);
    case 'file-read':
      return did.files;
    case 'file-store':
      return did.fileStored;
    case 'file-delete':
      return did.fileDeleted;
    case 'applications':
      return did.applications;
    case 'other':
      return did.called(shortAction(row.action));
  }
}

function refusedText(row: LedgerRow): string {
  const { wanted } = words;
  const at = placesText(row);
  switch (entryKind(row.action)) {
    case 'sign-in':
      return wanted.signIn;
    case 'login':
      return wanted.login;
    case 'password-change':
      return wanted.password;
    case 'second-factor-change':
      return wanted.secondFactor;
    case 'call without a valid token':
      return wanted.withoutToken;
    case 'read':
      return wanted.read(at);
    case 'store':
      return wanted.store(at);
    case 'change':
      return wanted.change(at);
    case 'delete':
      return wanted.delete(at);
    case 'debit-ask':
    case 'debit-change':
      return wanted.debitAsk;
    case 'debit-look':
      return wanted.debitLook;
    case 'debit-values':
      return wanted.debitValues;
    default:
      return wanted.call(shortAction(row.action));
  }
}

export function reasonText(reason: string | null): string {
  const code = reason ?? '';
  return words.reasons[code] ?? words.reasonOther(code);
}

/** Returns the reason of a refusal; empty if the action already states it. */
function refusalReason({ action, reason, who }: LedgerRow): string {
  if (who.kind === 'user' && reason === 'forbidden') return words.personMayNot;
  return action === 'call without a valid token' && reason === 'not_authenticated' ? '' : reasonText(reason);
}

/** Returns true if records were read rather than written: only then are fields and consent mentioned. */
function isReading(row: LedgerRow): boolean {
  const kind = entryKind(row.action);
  return row.records > 0 && (kind === 'read' || kind === 'debit-values');
}

function consentText(row: LedgerRow, names: EntryNames): string | undefined {
  if (row.consent === null) return undefined;
  if (row.consent.kind === 'contract') return words.byContract(row.consent.name);
  if (row.consent.kind === 'function') return undefined;
  // The owner's own decision is the consent, or that there is none.
  if (row.who.kind === 'owner') return row.consent.name;
  return words.byConsent(names.consentGiven(row.consent));
}

function personOf({ who, count }: LedgerRow): 'you' | 'one' | 'many' {
  if (who.kind === 'owner') return 'you';
  return who.kind === 'visitor' && count > 1 ? 'many' : 'one';
}

export function entrySentence(row: LedgerRow, names: EntryNames): Sentence {
  const who = readerText(row, names);
  const refused = row.outcome === 'refused';
  const action = words.phrase(refused ? refusedText(row) : allowedText(row), personOf(row));
  const rest: string[] = [];
  if (refused) rest.push(words.refusedBecause(refusalReason(row), row.count, row.last));
  else {
    if (isReading(row)) rest.push(row.fields === null ? words.entireRecords : words.fields(row.fields.length));
    const by = consentText(row, names);
    if (by !== undefined) rest.push(by);
  }
  return { who, action, rest, text: [`${who} ${action}`, ...rest].join(', ') };
}
