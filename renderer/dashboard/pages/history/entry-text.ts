import type { LedgerRow } from '../../../shared/api/contract.ts';
import { m } from '../../../shared/messages/texts.ts';

/** A ledger row in words: "Acme read 40 records of fitness/steps, 3 fields, by the consent of 3 March 2026". */

const words = m.history;
const ENDPOINTS_SHOWN = 2;

/** What only the pages know: names of applications, and when a consent was given. */
export interface EntryNames {
  applicationName: (id: string) => string;
  /** ISO 8601. */
  consentGiven: (consent: NonNullable<LedgerRow['consent']>) => string | undefined;
}

interface Sentence {
  who: string;
  did: string;
  /** What follows: fields, consent, or why it was refused. */
  rest: string[];
  /** All of it, as one would say it. */
  text: string;
}

type Doing =
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

/** What is no call of the interface. */
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

/** A person's own call; the owner's is a note. */
const SIGN_OUT = 'DELETE /users/access_token';
/** What was handed to a function that runs elsewhere. */
const FUNCTION_RUN = 'function run';
/** What the owner shows to everybody, as a page for people. */
const PROFILE_PAGE = 'GET /profile';

function isNote(action: string): action is keyof typeof NOTES {
  return Object.hasOwn(NOTES, action);
}

const DATA_VERBS: Readonly<Record<string, Doing>> = { GET: 'read', POST: 'store', PUT: 'change', DELETE: 'delete' };
const FILE_VERBS: Readonly<Record<string, Doing>> = {
  GET: 'file-read',
  POST: 'file-read',
  PUT: 'file-store',
  DELETE: 'file-delete',
};

function doing(action: string): Doing {
  if (isNote(action)) return action;
  if (action === SIGN_OUT) return 'sign-out';
  if (action === FUNCTION_RUN || action === PROFILE_PAGE) return 'read';
  const [method = '', path = ''] = action.split(' ');
  const [room = '', ...rest] = path.replace(/^\/(?:api\/v2(?:\.6)?\/|(?=storage\/))/, '').split('/');
  if (room === 'data-debit') {
    if (rest.at(-1) === 'values') return 'debit-values';
    if (method === 'POST') return 'debit-ask';
    return method === 'PUT' ? 'debit-change' : 'debit-look';
  }
  if (room === 'data' || room === 'data-batch' || room === 'data-record') return DATA_VERBS[method] ?? 'other';
  if (room === 'combinator' || room === 'data-bundle' || room === 'phata') return 'read';
  if (room === 'files') return rest[0] === 'upload' ? 'file-store' : (FILE_VERBS[method] ?? 'other');
  if (room === 'storage') return method === 'PUT' ? 'file-store' : 'file-content';
  if (room === 'applications') return 'applications';
  if (room === 'users') return 'sign-in';
  return 'other';
}

/** `GET /api/v2.6/data/:namespace/*endpoint` without what is the same everywhere. */
function shortAction(action: string): string {
  return action.replace(/\/api\/v2(?:\.6)?\//, '/');
}

const OF_FILES = 'files:';

/** The source of files, where that is what a place in the history is; no endpoint has a colon in its name. */
export function fileSource(endpoint: string): string | undefined {
  return endpoint.startsWith(OF_FILES) ? endpoint.slice(OF_FILES.length) : undefined;
}

function places(row: LedgerRow): string {
  if (row.endpoints.length === 0) return words.someData;
  const named = row.endpoints.map((endpoint) => fileSource(endpoint) ?? endpoint);
  const shown = named.length <= ENDPOINTS_SHOWN + 1 ? named : named.slice(0, ENDPOINTS_SHOWN);
  return words.and(shown, named.length - shown.length);
}

function whoIs({ who, count }: LedgerRow, known: EntryNames): string {
  switch (who.kind) {
    case 'application':
      return known.applicationName(who.name);
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

function didWhat(row: LedgerRow): string {
  const { did } = words;
  const at = places(row);
  switch (doing(row.action)) {
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

function wantedWhat(row: LedgerRow): string {
  const { wanted } = words;
  const at = places(row);
  switch (doing(row.action)) {
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

/** What was done already says why. */
function whyOf({ action, reason, who }: LedgerRow): string {
  if (who.kind === 'user' && reason === 'forbidden') return words.personMayNot;
  return action === 'call without a valid token' && reason === 'not_authenticated' ? '' : reasonText(reason);
}

/** Records that left, rather than came: only those have fields and a consent worth saying. */
function isReading(row: LedgerRow): boolean {
  const what = doing(row.action);
  return row.records > 0 && (what === 'read' || what === 'debit-values');
}

function basis(row: LedgerRow, known: EntryNames): string | undefined {
  if (row.consent === null) return undefined;
  if (row.consent.kind === 'contract') return words.byContract(row.consent.name);
  if (row.consent.kind === 'function') return undefined;
  // The owner's own decision is the consent, or that there is none.
  if (row.who.kind === 'owner') return row.consent.name;
  return words.byConsent(known.consentGiven(row.consent));
}

function personOf({ who, count }: LedgerRow): 'you' | 'one' | 'many' {
  if (who.kind === 'owner') return 'you';
  return who.kind === 'visitor' && count > 1 ? 'many' : 'one';
}

export function sentence(row: LedgerRow, known: EntryNames): Sentence {
  const who = whoIs(row, known);
  const refused = row.outcome === 'refused';
  const did = words.phrase(refused ? wantedWhat(row) : didWhat(row), personOf(row));
  const rest: string[] = [];
  if (refused) rest.push(words.refusedBecause(whyOf(row), row.count, row.last));
  else {
    if (isReading(row)) rest.push(row.fields === null ? words.entireRecords : words.fields(row.fields.length));
    const by = basis(row, known);
    if (by !== undefined) rest.push(by);
  }
  return { who, did, rest, text: [`${who} ${did}`, ...rest].join(', ') };
}
