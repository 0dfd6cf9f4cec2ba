import { describe, expect, it } from 'vitest';
import { actOf } from './access-kinds.ts';

describe('the act of an entry', () => {
  it.each([
    ['GET /share/:token', 'file'],
    ['POST /share/:token', 'file'],
    ['GET /share/:token/archive/all', 'file'],
    ['GET /guest', 'file'],
    ['GET /guest/files/:fileId', 'file'],
    ['GET /guest/archive', 'file'],
    ['GET /guest/folders/:sharedFolderId', 'file'],
    ['GET /guest/folders/:sharedFolderId/archive', 'file'],
    ['GET /guest/collections/:sharedCollectionId', 'file'],
    ['GET /guest/collections/:sharedCollectionId/archive', 'file'],
    ['GET /guest/tables/:sharedViewId', 'read'],
    ['GET /guest/charts/:sharedViewId', 'read'],
    ['GET /users/access_token/validate', 'other'],
    ['DELETE /users/access_token', 'account'],
    ['invitation-accepted', 'account'],
  ] as const)('of a user or an anonymous reader: %s is %s', (action, act) => {
    expect(actOf(action, false)).toBe(act);
  });

  it.each([
    ['POST /api/v2.6/owner/share-links', 'decision'],
    ['DELETE /users/access_token', 'account'],
    ['POST /api/v2.6/owner/exports', 'account'],
    ['POST /api/v2.6/owner/files/archives', 'account'],
    ['sign-in', 'account'],
    ['debit-approve-notification', 'decision'],
  ] as const)('of the owner: %s is %s', (action, act) => {
    expect(actOf(action, true)).toBe(act);
  });
});
