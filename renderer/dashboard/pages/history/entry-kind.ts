/** Kinds of access log entries, each of which has a sentence. */

export type EntryKind =
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
  | 'link-page'
  | 'link-password'
  | 'guest-page'
  | 'guest-file'
  | 'archive'
  | 'applications'
  | 'functions'
  | 'function-enable'
  | 'function-disable'
  | 'function-trigger'
  | 'feed'
  | 'offer-claim'
  | 'token-check'
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
  'invitation-accepted': true,
  'guest-left': true,
  'debit-approve-notification': true,
  'debit-deny-notification': true,
  'debit-check-refused': true,
  'debit-check-shared': true,
  'debit-check-inconclusive': true,
  login: true,
  'call without a valid token': true,
} as const;

/** Action of a user's sign-out. The sign-out of the owner is in `NOTES`. */
const SIGN_OUT = 'DELETE /users/access_token';
const TOKEN_CHECK = 'GET /users/access_token/validate';
/** Action of sending records to a remote function. */
const FUNCTION_RUN = 'function run';
/** Action of opening the owner's public profile page. */
const PROFILE_PAGE = 'GET /profile';
/** The page of a share link, and its password form. */
const LINK_PAGE = 'GET /share/:token';
const LINK_PASSWORD = 'POST /share/:token';
/** Pages of a guest with files, and archives. */
const SHARED_KINDS: Readonly<Record<string, EntryKind>> = {
  'GET /guest': 'guest-page',
  'GET /guest/files/:fileId': 'guest-file',
  'GET /guest/archive': 'archive',
  'GET /share/:token/archive/all': 'archive',
};

function isNote(action: string): action is keyof typeof NOTES {
  return Object.hasOwn(NOTES, action);
}

/** Kinds of requests, by the last segment of the path or by the method. */
const FUNCTION_VERBS: Readonly<Record<string, EntryKind>> = {
  enable: 'function-enable',
  disable: 'function-disable',
  trigger: 'function-trigger',
};
const CONTRACT_VERBS: Readonly<Record<string, EntryKind>> = { read: 'read', create: 'store', update: 'change' };
const DATA_VERBS: Readonly<Record<string, EntryKind>> = { GET: 'read', POST: 'store', PUT: 'change', DELETE: 'delete' };
const FILE_VERBS: Readonly<Record<string, EntryKind>> = {
  GET: 'file-read',
  POST: 'file-read',
  PUT: 'file-store',
  DELETE: 'file-delete',
};

/** Returns what an entry is about. @param action method and path of a request, or the name of an account event */
export function entryKind(action: string): EntryKind {
  if (isNote(action)) return action;
  if (action === SIGN_OUT) return 'sign-out';
  if (action === FUNCTION_RUN || action === PROFILE_PAGE) return 'read';
  if (action === LINK_PAGE) return 'link-page';
  if (action === LINK_PASSWORD) return 'link-password';
  const sharedKind = SHARED_KINDS[action];
  if (sharedKind !== undefined) return sharedKind;
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
  if (resource === 'contract-data') return CONTRACT_VERBS[rest[0] ?? ''] ?? 'other';
  if (resource === 'she') return rest[0] === 'feed' ? 'feed' : (FUNCTION_VERBS[rest[2] ?? ''] ?? 'functions');
  if (resource === 'exchange') return 'offer-claim';
  if (action === TOKEN_CHECK) return 'token-check';
  if (resource === 'users') return 'sign-in';
  return 'other';
}
