import type { Messages } from '../../../shared/messages/texts.ts';

/** Kind of a decision of the owner. */
export type OwnerDecisionKind = keyof Messages['history']['decisions'];

/** Decisions of the owner, by method and path. */
export const OWNER_DECISIONS: Readonly<Record<string, OwnerDecisionKind>> = {
  'GET /api/v2.6/data-debit/*key/enable': 'allowed',
  'POST /api/v2.6/owner/debits/*key/grant': 'allowed',
  'POST /api/v2.6/owner/debits/*key/change': 'changed',
  'POST /api/v2.6/owner/debits/*key/pause': 'paused',
  'POST /api/v2.6/owner/debits/*key/resume': 'resumed',
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
  'DELETE /api/v2.6/owner/files/readers/:userId': 'unsharedFiles',
  'POST /api/v2.6/owner/shared-folders': 'sharedFolder',
  'DELETE /api/v2.6/owner/shared-folders/:sharedFolderId': 'unsharedFolder',
  'POST /api/v2.6/owner/shared-collections': 'sharedCollection',
  'DELETE /api/v2.6/owner/shared-collections/:sharedCollectionId': 'unsharedCollection',
  'POST /api/v2.6/owner/collections/:collectionId/files': 'addedToCollection',
  'POST /api/v2.6/owner/collections/:collectionId/files/remove': 'removedFromCollection',
  'DELETE /api/v2.6/owner/collections/:collectionId': 'deletedCollection',
  'POST /api/v2.6/owner/shared-views': 'sharedView',
  'DELETE /api/v2.6/owner/shared-views/:sharedViewId': 'unsharedView',
  'GET /api/v2.6/files/allowAccessPublic/:fileId': 'madePublic',
  'GET /api/v2.6/files/restrictAccessPublic/:fileId': 'madePrivate',
  'POST /api/v2.6/owner/files/make-private': 'madeAllPrivate',
  'POST /api/v2.6/owner/files/move': 'movedFiles',
  'POST /api/v2.6/owner/record-moves': 'movedRecords',
  'POST /api/v2.6/owner/share-links': 'createdLink',
  'PUT /api/v2.6/owner/share-links/:linkId': 'changedLink',
  'DELETE /api/v2.6/owner/share-links/:linkId': 'revokedLink',
  'DELETE /api/v2.6/owner/share-links': 'revokedLinks',
  'POST /api/v2.6/owner/invitations': 'invitedPerson',
  'POST /api/v2.6/owner/invitations/password': 'createdPasswordLink',
  'POST /api/v2.6/owner/invitations/:invitationId/renew': 'renewedInvitation',
  'DELETE /api/v2.6/owner/invitations/:invitationId': 'revokedInvitation',
  'POST /users/user': 'addedPerson',
  'PUT /users/user/:userId/update': 'changedPerson',
  'PUT /users/user/:userId/enable': 'unlockedPerson',
  'PUT /users/user/:userId/disable': 'lockedPerson',
  'PUT /users/user/:userId/delete': 'removedPerson',
};

/** Kinds of consents whose `detail` is the name of the person. */
export const SHARED_KINDS: ReadonlySet<string> = new Set(['user', 'folder', 'collection', 'table', 'chart']);
