import type { LedgerRow } from '../../../shared/api/contract.ts';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { m } from '../../../shared/messages/texts.ts';
import { entryKind } from './entry-kind.ts';

const words = m.history;
const MAX_NAMED_ENDPOINTS = 2;

/** Lookups of data that entries do not contain: names of applications and requesters, and times of consents. */
export interface EntryNames {
  /** Returns the name of the other party of a consent. */
  consentName: (consent: NonNullable<LedgerRow['consent']>) => string;
  applicationName: (id: string) => string;
  /** Returns the time of a consent (ISO 8601); undefined if it is unknown. */
  consentGiven: (consent: NonNullable<LedgerRow['consent']>) => string | undefined;
}

interface Sentence {
  reader: string;
  action: string;
  /** Fields, consent, or the reason of a refusal. */
  details: string[];
  /** The complete sentence. */
  text: string;
}

/** Decisions of the owner, by method and path. */
export const OWNER_DECISIONS: Readonly<Record<string, keyof typeof words.decisions>> = {
  'GET /api/v2.6/data-debit/*key/enable': 'allowed',
  'POST /api/v2.6/owner/debits/*key/grant': 'allowed',
  'POST /api/v2.6/owner/debits/*key/change': 'changed',
  'GET /api/v2.6/data-debit/*key/disable': 'stopped',
  'POST /api/v2.6/data-debit/*key/reject': 'declined',
  'DELETE /api/v2.6/data-debit/*key': 'removed',
  'GET /api/v2.6/applications/:id/setup': 'setUp',
  'POST /api/v2.6/owner/applications/:id/setup': 'setUp',
  'GET /api/v2.6/applications/:id/disable': 'stoppedApplication',
  'GET /api/v2.6/she/function/:id/enable': 'enabledFunction',
  'POST /api/v2.6/owner/functions/:id/enable': 'enabledFunction',
  'GET /api/v2.6/she/function/:id/disable': 'disabledFunction',
  'DELETE /api/v2.6/owner/functions/:id': 'removedFunction',
  'GET /api/v2.6/files/allowAccess/:fileId/:userId': 'sharedFile',
  'GET /api/v2.6/files/restrictAccess/:fileId/:userId': 'unsharedFile',
  'POST /api/v2.6/files/allowAccess/:userId': 'sharedFiles',
  'POST /api/v2.6/files/restrictAccess/:userId': 'unsharedFiles',
  'GET /api/v2.6/files/allowAccessPublic/:fileId': 'madePublic',
  'GET /api/v2.6/files/restrictAccessPublic/:fileId': 'madePrivate',
  'POST /api/v2.6/owner/files/make-private': 'madeAllPrivate',
  'POST /api/v2.6/owner/share-links': 'createdLink',
  'PUT /api/v2.6/owner/share-links/:linkId': 'changedLink',
  'DELETE /api/v2.6/owner/share-links/:linkId': 'revokedLink',
  'DELETE /api/v2.6/owner/share-links': 'revokedLinks',
  'POST /api/v2.6/owner/invitations': 'invitedPerson',
  'POST /api/v2.6/owner/invitations/:invitationId/renew': 'renewedInvitation',
  'DELETE /api/v2.6/owner/invitations/:invitationId': 'revokedInvitation',
  'POST /users/user': 'addedPerson',
  'PUT /users/user/:userId/update': 'changedPerson',
  'PUT /users/user/:userId/enable': 'unlockedPerson',
  'PUT /users/user/:userId/disable': 'lockedPerson',
  'PUT /users/user/:userId/delete': 'removedPerson',
};

/** Returns the text of a decision of the owner; undefined for any other entry. */
function decisionText(row: LedgerRow, names: EntryNames): string | undefined {
  const decision = row.who.kind === 'owner' ? OWNER_DECISIONS[row.action] : undefined;
  if (decision === undefined) return undefined;
  const [source = ''] = row.endpoints;
  const subject = row.consent === null ? (fileSource(source) ?? source) : names.consentName(row.consent);
  return words.decisions[decision](isolateText(subject));
}

const FILES_PREFIX = 'files:';

/** Returns the file source of a `files:` entry; undefined for endpoints, whose names never contain a colon. */
export function fileSource(endpoint: string): string | undefined {
  return endpoint.startsWith(FILES_PREFIX) ? endpoint.slice(FILES_PREFIX.length) : undefined;
}

/** Returns the endpoints or file sources of an entry as text. */
function endpointsText(row: LedgerRow): string {
  if (row.endpoints.length === 0) return words.someData;
  const names = row.endpoints.map((endpoint) => fileSource(endpoint) ?? endpoint);
  const visibleNames = names.length <= MAX_NAMED_ENDPOINTS + 1 ? names : names.slice(0, MAX_NAMED_ENDPOINTS);
  return words.and(visibleNames, names.length - visibleNames.length);
}

function readerText({ who, count, consent }: LedgerRow, names: EntryNames): string {
  if (who.kind !== 'owner' && consent?.kind === 'link') return words.actors.link(isolateText(consent.detail));
  switch (who.kind) {
    case 'application':
      return names.applicationName(who.name);
    case 'contract':
      return words.actors.contract(who.name);
    case 'exchange':
      return words.actors.exchange;
    case 'offer':
      return words.actors.offer(who.name);
    case 'function':
      return words.actors.function(who.name);
    case 'user':
      return who.person ?? words.actors.person;
    case 'owner':
      return words.actors.you;
    case 'visitor':
      return count > 1 ? words.actors.anonymousMany : words.actors.anonymous;
  }
}

function allowedText(row: LedgerRow, names: EntryNames): string {
  const decision = decisionText(row, names);
  if (decision !== undefined) return decision;
  const { actions } = words;
  const endpoints = endpointsText(row);
  switch (entryKind(row.action)) {
    case 'sign-in':
      return actions.signedIn;
    case 'sign-out':
      return actions.signedOut;
    case 'set-up':
      return actions.setUp;
    case 'password-change':
      return actions.password;
    case 'service-token':
      return actions.serviceToken;
    case 'address-change':
      return actions.address;
    case 'go-dark':
      return actions.dark;
    case 'go-light':
      return actions.reopened;
    case 'erasure':
      return actions.erased;
    case 'export-all':
      return actions.exportedAll;
    case 'arrival-settled':
      return actions.activatedMove;
    case 'second-factor-on':
      return actions.secondFactorOn;
    case 'second-factor-change':
      return actions.secondFactorChange;
    case 'second-factor-off':
      return actions.secondFactorOff;
    case 'recovery-code':
      return actions.recoveryCode;
    case 'debit-approve-notification':
      return actions.approvedInNotification;
    case 'debit-deny-notification':
      return actions.deniedInNotification;
    case 'debit-check-refused':
      return actions.debitCheckRefused;
    case 'debit-check-shared':
      return actions.debitCheckShared;
    case 'debit-check-inconclusive':
      return actions.debitCheckInconclusive;
    case 'login':
      return actions.login;
    case 'call without a valid token':
    case 'read':
      return row.records > 0 ? actions.read(row.records, endpoints) : actions.readNothing(endpoints);
    case 'debit-values':
      return row.records > 0 ? actions.read(row.records, endpoints) : actions.debitValues;
    case 'store':
      return actions.stored(row.records, endpoints);
    case 'change':
      return actions.changed(row.records, endpoints);
    case 'delete':
      return actions.deleted(row.records, endpoints);
    case 'debit-ask':
      return actions.debitRequested;
    case 'debit-change':
      return actions.debitChanged;
    case 'debit-look':
      return actions.debitChecked;
    case 'file-content':
      return actions.fileRead(endpoints);
    case 'file-read':
      return actions.files;
    case 'file-store':
      return actions.fileStored;
    case 'file-delete':
      return actions.fileDeleted;
    case 'link-page':
      return actions.linkPage(row.records);
    case 'link-password':
      return actions.otherRequest;
    case 'guest-page':
      return row.records > 0 ? actions.linkPage(row.records) : actions.guestPageEmpty;
    case 'guest-file':
      return actions.guestFile(endpoints);
    case 'archive':
      return actions.archive(row.records);
    case 'invitation-accepted':
      return actions.acceptedInvitation;
    case 'guest-left':
      return actions.left;
    case 'applications':
      return actions.applications;
    case 'functions':
      return actions.functions;
    case 'function-enable':
      return actions.functionEnabled;
    case 'function-disable':
      return actions.functionDisabled;
    case 'function-trigger':
      return actions.functionStarted;
    case 'feed':
      return actions.feed;
    case 'offer-claim':
      return actions.offerClaim;
    case 'token-check':
      return actions.tokenCheck;
    case 'other':
      return actions.otherRequest;
  }
}

function refusedText(row: LedgerRow): string {
  const { refusedActions } = words;
  const endpoints = endpointsText(row);
  switch (entryKind(row.action)) {
    case 'sign-in':
      return refusedActions.signIn;
    case 'login':
      return refusedActions.login;
    case 'password-change':
      return refusedActions.password;
    case 'second-factor-change':
      return refusedActions.secondFactor;
    case 'call without a valid token':
      return refusedActions.withoutToken;
    case 'read':
      return refusedActions.read(endpoints);
    case 'store':
      return refusedActions.store(endpoints);
    case 'change':
      return refusedActions.change(endpoints);
    case 'delete':
      return refusedActions.delete(endpoints);
    case 'debit-ask':
    case 'debit-change':
      return refusedActions.debitRequest;
    case 'debit-look':
      return refusedActions.debitCheck;
    case 'debit-values':
      return refusedActions.debitValues;
    case 'link-password':
      return refusedActions.linkPassword;
    case 'guest-left':
      return refusedActions.leave;
    default:
      return refusedActions.otherRequest;
  }
}

/** Returns the text of the reason of a refusal. @param reason error code */
export function reasonText(reason: string | null): string {
  const code = reason ?? '';
  return words.reasons[code] ?? words.reasonOther(code);
}

/** Returns the reason of a refusal; empty if the action already states it. */
function refusalReason({ action, reason, who }: LedgerRow): string {
  if (who.kind === 'user' && reason === 'forbidden') return words.userForbidden;
  return action === 'call without a valid token' && reason === 'not_authenticated' ? '' : reasonText(reason);
}

/** Returns true if records were read. Only then the sentence mentions the fields. */
function isReading(row: LedgerRow): boolean {
  const kind = entryKind(row.action);
  return row.records > 0 && (kind === 'read' || kind === 'debit-values');
}

function consentText(row: LedgerRow, names: EntryNames): string | undefined {
  if (row.consent === null) return undefined;
  if (row.consent.kind === 'contract') return words.byContract(row.consent.name);
  if (row.consent.kind === 'function' || row.consent.kind === 'link') return undefined;
  // A decision of the owner already names the other party.
  if (row.who.kind === 'owner')
    return Object.hasOwn(OWNER_DECISIONS, row.action) ? undefined : names.consentName(row.consent);
  return words.byConsent(names.consentGiven(row.consent));
}

/** Returns the grammatical person and number of the reader. */
function personOf({ who, count }: LedgerRow): 'you' | 'one' | 'many' {
  if (who.kind === 'owner') return 'you';
  return who.kind === 'visitor' && count > 1 ? 'many' : 'one';
}

/**
 * Describes an access log entry: "Acme read 40 records of fitness/steps, 3 fields, under your consent of 3 March 2026".
 */
export function entrySentence(row: LedgerRow, names: EntryNames): Sentence {
  const reader = readerText(row, names);
  const refused = row.outcome === 'refused';
  const action = words.phrase(refused ? refusedText(row) : allowedText(row, names), personOf(row));
  const details: string[] = [];
  if (refused) details.push(words.refusedBecause(refusalReason(row), row.count, row.last));
  else {
    if (isReading(row)) details.push(row.fields === null ? words.entireRecords : words.fields(row.fields.length));
    const consent = consentText(row, names);
    if (consent !== undefined) details.push(consent);
  }
  return { reader, action, details, text: [`${reader} ${action}`, ...details].join(', ') };
}
