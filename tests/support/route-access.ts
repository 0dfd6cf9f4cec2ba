import type { Route } from '../../server/platform/http/route.ts';

/**
 * Access to each route outside `/api/v2.6/owner`, and of the routes below it that are not for the owner only. A new
 * route of either kind must be added here, so that its access is a deliberate decision.
 *
 * The access is `public`, `any token`, `owner`, a scope, or `some` with a prefix that one of the scopes must have.
 */
export const ROUTE_ACCESS: Record<string, string> = {
  'GET /healthz': 'public',
  'GET /publickey': 'public',
  'GET /.well-known/former-keys.json': 'public',
  'GET /.well-known/jwks.json': 'public',
  'GET /users/access_token': 'public',
  'GET /users/access_token/validate': 'any token',
  // For the owner and users. The handler refuses other principals.
  'DELETE /users/access_token': 'any token',
  'GET /users/application_token': 'owner',
  'GET /users/user': 'owner',
  'GET /api/v2.6/users/user': 'owner',
  'POST /users/user': 'owner',
  'PUT /users/user/:userId/update': 'owner',
  'PUT /users/user/:userId/enable': 'owner',
  'PUT /users/user/:userId/disable': 'owner',
  'PUT /users/user/:userId/delete': 'owner',
  'GET /api/v2.6/healthz': 'public',
  'GET /api/v2.6/version': 'public',
  'GET /api/v2.6/openapi.json': 'public',
  'GET /api/v2.6/system/status': 'owner',
  'GET /api/v2.6/data/sources': 'some records:write:',
  'GET /api/v2.6/data/:namespace/*endpoint': 'records:read:fitness',
  'POST /api/v2.6/data/:namespace/*endpoint': 'records:write:fitness',
  'DELETE /api/v2.6/data/:namespace/*endpoint': 'records:write:fitness',
  'PUT /api/v2.6/data': 'some records:write:',
  'DELETE /api/v2.6/data': 'some records:write:',
  'POST /api/v2.6/data-batch': 'some records:write:',
  'GET /api/v2.6/data-record/:recordId': 'some records:read:',
  // Authorised by the request body. A token in the header has no effect.
  'POST /api/v2.6/contract-data/read/:namespace/*endpoint': 'records:read:fitness',
  'POST /api/v2.6/contract-data/create/:namespace/*endpoint': 'records:write:fitness',
  'PUT /api/v2.6/contract-data/update/:namespace': 'records:write:fitness',
  'GET /api/v2.6/combinator': 'queries:use',
  'GET /api/v2.6/combinator/*name': 'queries:use',
  'POST /api/v2.6/combinator/*name': 'queries:use',
  'PUT /api/v2.6/combinator/*name': 'queries:use',
  'DELETE /api/v2.6/combinator/*name': 'queries:use',
  'GET /api/v2.6/data-bundle': 'queries:use',
  'GET /api/v2.6/data-bundle/*name': 'queries:use',
  'GET /api/v2.6/data-bundle/*name/structure': 'queries:use',
  'POST /api/v2.6/data-bundle/*name': 'queries:use',
  'PUT /api/v2.6/data-bundle/*name': 'queries:use',
  'DELETE /api/v2.6/data-bundle/*name': 'queries:use',
  'GET /api/v2.6/applications': 'owner',
  'GET /api/v2.6/applications/:id': 'owner',
  'GET /api/v2.6/applications/:id/hmi': 'public',
  'GET /api/v2.6/applications/:id/setup': 'owner',
  'GET /api/v2.6/applications/:id/disable': 'owner',
  'GET /api/v2.6/applications/:id/access-token': 'owner',
  'GET /api/v2.6/data-debit': 'debits:own',
  'POST /api/v2.6/data-debit/*key': 'some debits:propose',
  // The handler checks which Data Debits the caller may see.
  'PUT /api/v2.6/data-debit/*key': 'some debits:',
  'GET /api/v2.6/data-debit/*key': 'some debits:',
  'GET /api/v2.6/data-debit/*key/values': 'some debits:',
  'GET /api/v2.6/data-debit/*key/preview': 'owner',
  'GET /api/v2.6/data-debit/*key/enable': 'owner',
  'GET /api/v2.6/data-debit/*key/disable': 'owner',
  'POST /api/v2.6/data-debit/*key/reject': 'owner',
  'DELETE /api/v2.6/data-debit/*key': 'owner',
  'POST /api/v2.6/files/upload': 'some files:',
  'PUT /api/v2.6/files/file/:fileId/complete': 'some files:',
  'PUT /api/v2.6/files/file/:fileId': 'some files:',
  // The handler checks which files the caller may see.
  'GET /api/v2.6/files/file/:fileId': 'any token',
  'POST /api/v2.6/files/search': 'any token',
  // Public files need no token.
  'GET /api/v2.6/files/content/:fileId': 'public',
  'DELETE /api/v2.6/files/file/:fileId': 'owner',
  'GET /api/v2.6/files/allowAccess/:fileId/:userId': 'owner',
  'GET /api/v2.6/files/restrictAccess/:fileId/:userId': 'owner',
  'POST /api/v2.6/files/allowAccess/:userId': 'owner',
  'POST /api/v2.6/files/restrictAccess/:userId': 'owner',
  'GET /api/v2.6/files/allowAccessPublic/:fileId': 'owner',
  'GET /api/v2.6/files/restrictAccessPublic/:fileId': 'owner',
  'GET /api/v2.6/she/function': 'functions:use',
  'GET /api/v2.6/she/function/:id': 'functions:use',
  // Only the owner can enable or disable a remote function. The handlers check this.
  'GET /api/v2.6/she/function/:id/enable': 'functions:use',
  'GET /api/v2.6/she/function/:id/disable': 'functions:use',
  'GET /api/v2.6/she/function/:id/trigger': 'functions:use',
  'GET /api/v2.6/she/function/:id/runs': 'owner',
  'GET /api/v2.6/she/function/:id/runs/:runId': 'owner',
  'POST /api/v2.6/she/function/:id/runs/:runId/undo': 'owner',
  'POST /api/v2.6/she/function/:id/dry-run': 'owner',
  'GET /api/v2.6/she/feed': 'functions:use',
  'GET /api/v2.6/she/feed/*endpoint': 'functions:use',
  // Called by the exchange. Refused if the owner has chosen no exchange.
  'POST /api/v2.6/exchange/proof': 'public',
  'POST /api/v2.6/exchange/claims': 'exchange:claims',
  'GET /api/v2.6/phata/profile': 'public',
  'GET /profile': 'public',
  // Authorised by the token of the share link, and by its password if it has one.
  'GET /share/:token': 'public',
  'POST /share/:token': 'public',
  'GET /share/:token/:fileId': 'public',
  'GET /share/:token/archive/all': 'public',
  // Authorised by the token of the invitation.
  'GET /invitation/:token': 'public',
  'POST /invitation/:token': 'public',
  'GET /guest/sign-in': 'public',
  'POST /guest/sign-in': 'public',
  'POST /guest/sign-in/passkey': 'public',
  // Authorised by the cookie of the guest. Without the cookie, these routes redirect to the sign-in page.
  'POST /guest/sign-out': 'public',
  'GET /guest': 'public',
  'GET /guest/files/:fileId': 'public',
  'GET /guest/files/:fileId/content': 'public',
  'GET /guest/archive': 'public',
  'GET /guest/folders/:sharedFolderId': 'public',
  'GET /guest/folders/:sharedFolderId/archive': 'public',
  'GET /guest/collections/:sharedCollectionId': 'public',
  'GET /guest/collections/:sharedCollectionId/archive': 'public',
  'GET /guest/account': 'public',
  'POST /guest/sessions/end': 'public',
  'POST /guest/sessions/:sessionId/end': 'public',
  'POST /guest/password': 'public',
  'POST /guest/leave': 'public',
  'GET /guest/passkeys/new': 'public',
  'POST /guest/passkeys/new': 'public',
  'POST /guest/passkeys': 'public',
  'GET /guest/passkeys/:passkeyId/remove': 'public',
  'POST /guest/passkeys/:passkeyId/remove': 'public',
  // Authorised by the cookie, too: the handler checks which tables and charts are shared with the guest.
  'GET /guest/tables/:sharedViewId': 'public',
  'GET /guest/tables/:sharedViewId/csv': 'public',
  'GET /guest/charts/:sharedViewId': 'public',
  // Authorised by the signature in the URL.
  'GET /storage/:fileId': 'public',
  'PUT /storage/:fileId': 'public',
  // Needed before the PDA has an owner.
  'GET /api/v2.6/owner/setup': 'public',
  'POST /api/v2.6/owner/restore': 'public',
  'POST /api/v2.6/owner/restore/list': 'public',
  'POST /api/v2.6/owner/setup': 'public',
  // Returns the second factors that a sign-in needs and the challenge for a passkey.
  'GET /api/v2.6/owner/sign-in-ways': 'public',
  // Open until the setup. Afterwards the handler requires the owner.
  'POST /api/v2.6/owner/password-strength': 'public',
  // For local callers, the owner, and anyone with a URL that the owner created for the guide. The handler checks this.
  'GET /docs': 'public',
  'GET /docs/': 'public',
  'GET /docs/*page': 'public',
  // Authorised by the ticket in the URL.
  'GET /api/v2.6/owner/exports/:ticket': 'public',
  'GET /api/v2.6/owner/files/archives/:ticket': 'public',
  'GET /api/v2.6/owner/ledger-exports/:ticket': 'public',
  'GET /api/v2.6/owner/move/exports/:ticket': 'public',
};

/** Routes below this path that are not in the table are for the owner only. */
const OWNER_ROUTES = /^\w+ \/api\/v2\.6\/owner(?:\/|$)/u;

export const keyOf = (route: Route): string => `${route.method} ${route.path}`;

/** Returns the access of a route; `not decided` if it is missing. */
export const expectedAccess = (route: Route): string =>
  ROUTE_ACCESS[keyOf(route)] ?? (OWNER_ROUTES.test(keyOf(route)) ? 'owner' : 'not decided');
