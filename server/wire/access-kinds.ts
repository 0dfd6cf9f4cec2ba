// Kinds of access log entries. This file contains no schemas, so that the dashboard can import it without bundling
// Zod.

export const ACTS = ['read', 'file', 'store', 'delete', 'ask', 'decision', 'account', 'other'] as const;
export type Act = (typeof ACTS)[number];

const ACT_OF_KIND = {
  read: 'read',
  'guest-table': 'read',
  'guest-table-csv': 'read',
  'guest-chart': 'read',
  'debit-values': 'read',
  feed: 'read',
  applications: 'read',
  functions: 'read',
  'source-list': 'read',
  'query-list': 'read',
  'file-content': 'file',
  'file-read': 'file',
  'link-page': 'file',
  'link-password': 'file',
  'guest-page': 'file',
  'guest-file': 'file',
  'guest-folder': 'file',
  'guest-collection': 'file',
  archive: 'file',
  store: 'store',
  change: 'store',
  'file-store': 'store',
  'file-change': 'store',
  delete: 'delete',
  'file-delete': 'delete',
  'debit-ask': 'ask',
  'debit-change': 'ask',
  'debit-read': 'ask',
  'offer-claim': 'ask',
  'debit-approve-notification': 'decision',
  'debit-deny-notification': 'decision',
  'debit-resumed': 'decision',
  'debit-check-refused': 'account',
  'debit-check-shared': 'account',
  'debit-check-inconclusive': 'account',
  'sign-in': 'account',
  'sign-out': 'account',
  'set-up': 'account',
  'password-change': 'account',
  'service-token': 'account',
  'address-change': 'account',
  'go-dark': 'account',
  'go-light': 'account',
  erasure: 'account',
  'export-all': 'account',
  'arrival-settled': 'account',
  'second-factor-on': 'account',
  'second-factor-change': 'account',
  'second-factor-off': 'account',
  'recovery-code': 'account',
  'invitation-accepted': 'account',
  'guest-left': 'account',
  'passkey-added': 'account',
  'passkey-removed': 'account',
  login: 'account',
  'call without a valid token': 'account',
  'query-store': 'other',
  'query-delete': 'other',
  'function-enable': 'other',
  'function-disable': 'other',
  'function-trigger': 'other',
  'token-check': 'other',
  other: 'other',
} as const satisfies Record<string, Act>;

export type AccessEntryKind = keyof typeof ACT_OF_KIND;

/** Actions that name an event instead of a route, except runs of functions. Each is also the kind of its entry. */
export const EVENT_ACTIONS = {
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
  'invitation-accepted': true,
  'guest-left': true,
  'passkey-added': true,
  'passkey-removed': true,
  'debit-approve-notification': true,
  'debit-deny-notification': true,
  'debit-resumed': true,
  'debit-check-refused': true,
  'debit-check-shared': true,
  'debit-check-inconclusive': true,
  login: true,
  'call without a valid token': true,
} as const;

/** A user's sign-out with a token. Other sign-outs are recorded as `sign-out`. */
const SIGN_OUT = 'DELETE /users/access_token';
const TOKEN_CHECK = 'GET /users/access_token/validate';
const FUNCTION_RUN = 'function run';
const PROFILE_PAGE = 'GET /profile';
const LINK_PAGE = 'GET /share/:token';
const LINK_PASSWORD = 'POST /share/:token';

const KIND_BY_PAGE_ROUTE: Readonly<Record<string, AccessEntryKind>> = {
  'GET /guest': 'guest-page',
  'GET /guest/files/:fileId': 'guest-file',
  'GET /guest/archive': 'archive',
  'GET /guest/folders/:sharedFolderId': 'guest-folder',
  'GET /guest/folders/:sharedFolderId/archive': 'archive',
  'GET /guest/collections/:sharedCollectionId': 'guest-collection',
  'GET /guest/collections/:sharedCollectionId/archive': 'archive',
  'GET /guest/tables/:sharedViewId': 'guest-table',
  'GET /guest/tables/:sharedViewId/csv': 'guest-table-csv',
  'GET /guest/charts/:sharedViewId': 'guest-chart',
  'GET /share/:token/archive/all': 'archive',
};

const isEventAction = (action: string): action is keyof typeof EVENT_ACTIONS => Object.hasOwn(EVENT_ACTIONS, action);

const FUNCTION_KIND_BY_ACTION: Readonly<Record<string, AccessEntryKind>> = {
  enable: 'function-enable',
  disable: 'function-disable',
  trigger: 'function-trigger',
};
const CONTRACT_KIND_BY_ACTION: Readonly<Record<string, AccessEntryKind>> = {
  read: 'read',
  create: 'store',
  update: 'change',
};
const DATA_KIND_BY_METHOD: Readonly<Record<string, AccessEntryKind>> = {
  GET: 'read',
  POST: 'store',
  PUT: 'change',
  DELETE: 'delete',
};
const FILE_KIND_BY_METHOD: Readonly<Record<string, AccessEntryKind>> = {
  GET: 'file-read',
  POST: 'file-read',
  PUT: 'file-change',
  DELETE: 'file-delete',
};

/** @param path segments after `combinator` or `data-bundle` */
const queryKind = (method: string, path: readonly string[]): AccessEntryKind => {
  if (method === 'DELETE') return 'query-delete';
  if (method !== 'GET') return 'query-store';
  return path.length === 0 || path.at(-1) === 'structure' ? 'query-list' : 'read';
};

/** @param action method and path of the route, or the name of an event */
export const entryKind = (action: string): AccessEntryKind => {
  if (isEventAction(action)) return action;
  if (action === SIGN_OUT) return 'sign-out';
  if (action === FUNCTION_RUN || action === PROFILE_PAGE) return 'read';
  if (action === LINK_PAGE) return 'link-page';
  if (action === LINK_PASSWORD) return 'link-password';
  const pageKind = KIND_BY_PAGE_ROUTE[action];
  if (pageKind !== undefined) return pageKind;
  const [method = '', path = ''] = action.split(' ');
  const [resource = '', ...rest] = path.replace(/^\/(?:api\/v2(?:\.6)?\/|(?=storage\/))/, '').split('/');
  if (resource === 'data-debit') {
    if (rest.at(-1) === 'values') return 'debit-values';
    if (method === 'POST') return 'debit-ask';
    return method === 'PUT' ? 'debit-change' : 'debit-read';
  }
  if (resource === 'data' && rest[0] === 'sources') return 'source-list';
  if (resource === 'data' || resource === 'data-batch' || resource === 'data-record')
    return DATA_KIND_BY_METHOD[method] ?? 'other';
  if (resource === 'combinator' || resource === 'data-bundle') return queryKind(method, rest);
  if (resource === 'phata') return 'read';
  if (resource === 'files') {
    if (rest[0] === 'upload' || rest.at(-1) === 'complete') return 'file-store';
    return FILE_KIND_BY_METHOD[method] ?? 'other';
  }
  if (resource === 'storage') return method === 'PUT' ? 'file-store' : 'file-content';
  if (resource === 'applications') return 'applications';
  if (resource === 'contract-data') return CONTRACT_KIND_BY_ACTION[rest[0] ?? ''] ?? 'other';
  if (resource === 'she') return rest[0] === 'feed' ? 'feed' : (FUNCTION_KIND_BY_ACTION[rest[2] ?? ''] ?? 'functions');
  if (resource === 'exchange') return 'offer-claim';
  if (action === TOKEN_CHECK) return 'token-check';
  if (resource === 'users') return 'sign-in';
  return 'other';
};

/** Requests for the names and sizes of files. Opening a file takes a separate request. */
const FILE_LIST_KINDS: ReadonlySet<AccessEntryKind> = new Set([
  'file-read',
  'link-page',
  'guest-page',
  'guest-file',
  'guest-folder',
  'guest-collection',
]);

export const isFileList = (action: string): boolean => FILE_LIST_KINDS.has(entryKind(action));

export const isOtherPrincipal = (principalKind: string): boolean =>
  principalKind !== 'owner' && principalKind !== 'pda';

const OWNER_ACCOUNT_ACTIONS: ReadonlySet<string> = new Set([
  SIGN_OUT,
  'POST /api/v2.6/owner/exports',
  'POST /api/v2.6/owner/files/archives',
  'POST /api/v2.6/owner/ledger-exports',
]);

/** @param isOwner true for a request of the owner; most of the owner's requests in the log are decisions */
export const actOf = (action: string, isOwner: boolean): Act => {
  if (isOwner && action.includes(' ')) return OWNER_ACCOUNT_ACTIONS.has(action) ? 'account' : 'decision';
  return ACT_OF_KIND[entryKind(action)];
};
