import type { LedgerRow } from '../../../shared/api/contract.ts';
import { entryKind } from '../../../../server/wire/access-kinds.ts';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { OWNER_DECISIONS, CONSENT_KINDS_WITH_PERSON } from './owner-decisions.ts';
import { type EntryNames, personName, readableName, readerText } from './reader-text.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.history;
/** Endpoints that a sentence names before it counts the others. A single other endpoint is named too. */
const MAX_LISTED_ENDPOINTS = 2;
const MAX_LISTED_FILES = 3;

/** `isPartial`: more requests may exist that are not loaded. */
interface RequestCount {
  count: number;
  isPartial: boolean;
}

export interface Sentence {
  actor: string;
  action: string;
  details: string[];
  text: string;
}

function reductionText({ consent }: LedgerRow, names: EntryNames): string | undefined {
  const change = consent === null ? undefined : names.consentChange(consent);
  if (consent === null || change === undefined) return undefined;
  return texts.consentChanges[change](readableName(names.consentName(consent), texts.aRecipient));
}

function decisionText(row: LedgerRow, names: EntryNames, isSingle: boolean): string | undefined {
  const decision = row.who.kind === 'owner' ? OWNER_DECISIONS[row.action] : undefined;
  if (decision === undefined) return undefined;
  const reduction = decision === 'changed' && isSingle ? reductionText(row, names) : undefined;
  if (reduction !== undefined) return reduction;
  if (decision === 'movedRecords')
    return texts.decisions[decision](m.data.records(row.records), endpointsText(row, names));
  if (decision === 'exportedRecords') return texts.decisions[decision](endpointsText(row, names));
  if (decision === 'changedProfile')
    return texts.decisions[decision](profileFieldName(row), row.consent?.detail === 'public');
  if (decision === 'leftContract') return texts.decisions[decision](readableName(row.consent?.detail ?? '', ''));
  const person =
    row.consent !== null && CONSENT_KINDS_WITH_PERSON.has(row.consent.kind)
      ? personName(row.consent.detail)
      : texts.aPerson;
  const [endpoint] = row.endpoints;
  if (endpoint !== undefined) return texts.decisions[decision](filesText(row, endpoint), person);
  if (row.consent === null || row.consent.kind === 'user') return texts.decisions[decision](person, person);
  if (row.consent.kind === 'table' || row.consent.kind === 'chart')
    return texts.decisions[decision](texts.viewName[row.consent.kind](isolateText(row.consent.name)), person);
  return texts.decisions[decision](readableName(names.consentName(row.consent), texts.aRecipient), person);
}

function profileFieldName({ consent }: LedgerRow): string {
  const fields: Readonly<Record<string, string>> = m.profile.fields;
  return fields[consent?.name ?? ''] ?? '';
}

function viewNameOf({ consent }: LedgerRow): string {
  return consent === null ? texts.someData : isolateText(consent.name);
}

/** @param endpoint such as `files:photos`; empty if the entry has none */
function filesText({ files, records }: LedgerRow, endpoint: string): string {
  if (files.length === 0) return texts.fileOf(isolateText(fileSource(endpoint) ?? endpoint));
  const visibleNames = files.slice(0, MAX_LISTED_FILES).map(({ name }) => isolateText(name));
  return files.length > MAX_LISTED_FILES || (visibleNames.length === MAX_LISTED_FILES && records > files.length)
    ? texts.andMore(visibleNames)
    : texts.and(visibleNames, 0);
}

export const FILES_PREFIX = 'files:';

/** Returns the source in `files:<source>`; undefined for endpoints, whose names never contain a colon. */
export function fileSource(endpoint: string): string | undefined {
  return endpoint.startsWith(FILES_PREFIX) ? endpoint.slice(FILES_PREFIX.length) : undefined;
}

function endpointsText(row: LedgerRow, names: EntryNames): string {
  if (row.endpoints.length === 0) return texts.someData;
  const endpointNames = row.endpoints.map((endpoint) =>
    isolateText(fileSource(endpoint) ?? names.endpointName(endpoint)),
  );
  const visibleNames =
    endpointNames.length <= MAX_LISTED_ENDPOINTS + 1 ? endpointNames : endpointNames.slice(0, MAX_LISTED_ENDPOINTS);
  return texts.and(visibleNames, endpointNames.length - visibleNames.length);
}

/** @param isSingle false if the sentence describes several requests */
function allowedText(row: LedgerRow, names: EntryNames, isSingle: boolean): string {
  const decision = decisionText(row, names, isSingle);
  if (decision !== undefined) return decision;
  const { actions } = texts;
  const endpoints = endpointsText(row, names);
  const files = filesText(row, row.endpoints[0] ?? '');
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
    case 'debit-resumed':
      return actions.debitResumed;
    case 'debit-check-refused':
      return actions.debitCheckRefused;
    case 'debit-check-shared':
      return actions.debitCheckShared;
    case 'debit-check-inconclusive':
      return actions.debitCheckInconclusive;
    case 'login':
      return actions.login;
    case 'call without a valid token':
      return actions.withoutToken;
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
    case 'debit-read':
      return actions.debitChecked;
    case 'file-content':
      return actions.fileRead(files);
    case 'file-read':
      return row.files.length === 0 ? actions.files : actions.fileDetails(files);
    case 'source-list':
      return actions.sourceList;
    case 'query-list':
      return actions.queryList;
    case 'query-store':
      return actions.queryStored;
    case 'query-delete':
      return actions.queryDeleted;
    case 'file-change':
      return actions.fileChanged;
    case 'file-store':
      return actions.fileStored;
    case 'file-delete':
      return actions.fileDeleted;
    case 'link-page':
      return row.files.length === 0 ? actions.linkPage : actions.linkPageOf(files);
    case 'link-password':
      return actions.linkPassword;
    case 'guest-page':
      return row.records > 0 ? actions.guestPage(row.records) : actions.guestPageEmpty;
    case 'guest-folder':
      return actions.guestFolder(row.records);
    case 'guest-collection':
      return actions.guestCollection(row.records);
    case 'guest-file':
      return actions.guestFile(files);
    case 'guest-table':
      return actions.guestTable(row.records, viewNameOf(row));
    case 'guest-table-csv':
      return actions.guestTableCsv(row.records, viewNameOf(row));
    case 'guest-chart':
      return actions.guestChart(viewNameOf(row));
    case 'archive':
      return actions.archive(row.records);
    case 'invitation-accepted':
      return actions.acceptedInvitation;
    case 'guest-left':
      return actions.left;
    case 'passkey-added':
      return actions.passkeyAdded;
    case 'passkey-removed':
      return actions.passkeyRemoved;
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

function refusedText(row: LedgerRow, names: EntryNames): string {
  const { refusedActions } = texts;
  const endpoints = endpointsText(row, names);
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
    case 'source-list':
    case 'query-list':
    case 'feed':
    case 'applications':
    case 'functions':
      return refusedActions.read(endpoints);
    case 'file-content':
    case 'file-read':
      return refusedActions.openFiles;
    case 'file-store':
    case 'file-change':
    case 'file-delete':
      return refusedActions.changeFiles;
    case 'query-store':
    case 'query-delete':
      return refusedActions.changeQueries;
    case 'function-enable':
    case 'function-disable':
    case 'function-trigger':
      return refusedActions.controlFunction;
    case 'token-check':
    case 'sign-out':
      return refusedActions.expiredToken;
    case 'store':
      return refusedActions.store(endpoints);
    case 'change':
      return refusedActions.change(endpoints);
    case 'delete':
      return refusedActions.delete(endpoints);
    case 'debit-ask':
    case 'debit-change':
    case 'offer-claim':
      return refusedActions.debitRequest;
    case 'debit-read':
      return refusedActions.debitCheck;
    case 'debit-values':
      return refusedActions.debitValues;
    case 'link-password':
      return refusedActions.linkPassword;
    case 'guest-left':
      return refusedActions.leave;
    case 'passkey-added':
      return refusedActions.addPasskey;
    case 'passkey-removed':
      return refusedActions.removePasskey;
    default:
      return refusedActions.otherRequest;
  }
}

export function reasonText(reason: string | null): string {
  const code = reason ?? '';
  return texts.reasons[code] ?? texts.reasonOther(code);
}

function refusalReason({ action, reason }: LedgerRow): string {
  return action === 'call without a valid token' && reason === 'not_authenticated' ? '' : reasonText(reason);
}

function mentionsFields(row: LedgerRow): boolean {
  const kind = entryKind(row.action);
  return row.records > 0 && (kind === 'read' || kind === 'debit-values');
}

function consentText(row: LedgerRow, names: EntryNames): string | undefined {
  if (row.consent === null) return undefined;
  // The sentence of a decision already names its subject.
  if (row.who.kind === 'owner' && Object.hasOwn(OWNER_DECISIONS, row.action)) return undefined;
  if (row.consent.kind === 'contract')
    return texts.byContract(readableName(row.consent.name, readableName(names.contractName(row.consent.name), '')));
  if (['function', 'link'].includes(row.consent.kind) || CONSENT_KINDS_WITH_PERSON.has(row.consent.kind))
    return undefined;
  // The actor of the sentence already names the recipient.
  if (row.who.kind === 'pda') return undefined;
  if (row.who.kind === 'owner') return readableName(names.consentName(row.consent), texts.aConsent);
  return texts.byConsent(names.consentTime(row.consent));
}

function actorFormOf({ who, count }: LedgerRow): 'you' | 'singular' | 'plural' {
  if (who.kind === 'owner') return 'you';
  return who.kind === 'visitor' && count > 1 ? 'plural' : 'singular';
}

/**
 * Returns a sentence such as "Acme read 40 records of Daily steps, 3 fields, under your consent of 3 March 2026".
 * @param requestCount number of similar requests that the sentence describes; `row` then contains their sums
 */
export function entrySentence(row: LedgerRow, names: EntryNames, requestCount?: RequestCount): Sentence {
  const actor = readerText(row, names);
  const isRefused = row.outcome === 'refused';
  const isSingle = requestCount === undefined || requestCount.count === 1;
  const action = texts.phrase(
    isRefused ? refusedText(row, names) : allowedText(row, names, isSingle),
    actorFormOf(row),
  );
  const details: string[] = [];
  if (isRefused)
    details.push(texts.refusedBecause(refusalReason(row), row.count, requestCount === undefined ? row.last : null));
  else {
    if (requestCount !== undefined && requestCount.count > 1)
      details.push(requestCount.isPartial ? texts.atLeast(requestCount.count) : texts.times(requestCount.count));
    if (mentionsFields(row)) details.push(row.fields === null ? texts.entireRecords : texts.fields(row.fields.length));
    const consent = consentText(row, names);
    if (consent !== undefined) details.push(consent);
  }
  return { actor, action, details, text: [`${actor} ${action}`, ...details].join(', ') };
}
