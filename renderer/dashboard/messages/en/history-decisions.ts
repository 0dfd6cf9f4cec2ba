/**
 * Owner decisions in the access history, which complete sentences that begin with "You". A shared item comes before the
 * person who can see it.
 */
export const decisions = {
  allowed: (name: string) => `allowed ${name} to read data`,
  changed: (name: string) => `changed what ${name} can see`,
  paused: (name: string) => `paused sharing with ${name}`,
  resumed: (name: string) => `resumed sharing with ${name}`,
  stopped: (name: string) => `stopped sharing with ${name}`,
  declined: (name: string) => `declined a request from ${name}`,
  removed: (name: string) => `removed the consent for ${name}`,
  setUp: (name: string) => `set up ${name}`,
  stoppedApplication: (name: string) => `stopped ${name}`,
  enabledFunction: (name: string) => `turned on the function ${name}`,
  disabledFunction: (name: string) => `turned off the function ${name}`,
  removedFunction: (name: string) => `removed the function ${name}`,
  sharedFile: (file: string, person: string) => `shared ${file} with ${person}`,
  unsharedFile: (file: string, person: string) => `stopped sharing ${file} with ${person}`,
  sharedFiles: (person: string) => `shared files with ${person}`,
  unsharedFiles: (person: string) => `stopped sharing files with ${person}`,
  sharedFolder: (folder: string, person: string) => `shared the folder ${folder} with ${person}`,
  unsharedFolder: (folder: string, person: string) => `stopped sharing the folder ${folder} with ${person}`,
  sharedCollection: (collection: string, person: string) => `shared the collection ${collection} with ${person}`,
  unsharedCollection: (collection: string, person: string) =>
    `stopped sharing the collection ${collection} with ${person}`,
  addedToCollection: (collection: string) => `added files to the shared collection ${collection}`,
  removedFromCollection: (collection: string) => `removed files from the shared collection ${collection}`,
  deletedCollection: (collection: string) => `deleted the shared collection ${collection}`,
  sharedView: (view: string, person: string) => `shared ${view} with ${person}`,
  unsharedView: (view: string, person: string) => `stopped sharing ${view} with ${person}`,
  madePublic: (file: string) => `made ${file} public`,
  madePrivate: (file: string) => `made ${file} private`,
  madeAllPrivate: () => 'made all public files private',
  movedFiles: (files: string) => `moved ${files} to another folder`,
  movedRecords: (moved: string, endpoints: string) => `moved ${moved} between ${endpoints}`,
  createdLink: (name: string) => `created the share link ${name}`,
  changedLink: (name: string) => `changed the share link ${name}`,
  revokedLink: (name: string) => `revoked the share link ${name}`,
  revokedLinks: () => 'revoked all share links',
  invitedPerson: (person: string) => `invited ${person}`,
  createdPasswordLink: (person: string) => `created a link for ${person} to set a new password`,
  renewedInvitation: (person: string) => `replaced the link for ${person}`,
  revokedInvitation: (person: string) => `revoked the link for ${person}`,
  addedPerson: (person: string) => `added ${person} as a guest`,
  changedPerson: (person: string) => `changed the details of ${person}`,
  unblockedPerson: (person: string) => `unblocked ${person}`,
  blockedPerson: (person: string) => `blocked ${person}`,
  removedPerson: (person: string) => `removed ${person} from your guests`,
  changedProfile: (field: string, isPublic: boolean) =>
    `made the profile field ${field} ${isPublic ? 'public' : 'private'}`,
  replacedPublicPhoto: () => 'replaced the photo of the public profile',
  removedPublicPhoto: () => 'removed the photo of the public profile',
  changedPublicBundle: () => 'saved the bundle of the public profile',
  removedPublicBundle: () => 'removed the bundle of the public profile',
  /** @param contract name; empty if unknown */
  leftContract: (contract: string) => (contract === '' ? 'left a contract' : `left the contract ${contract}`),
  downloadedFiles: (files: string) => `downloaded ${files}`,
  exportedRecords: (endpoint: string) => `exported records of ${endpoint}`,
  exportedHistory: () => 'exported the access history',
} as const;

/** Changes that reduced a consent. */
export const consentChanges = {
  narrowed: (name: string) => `reduced what ${name} can see`,
  shortened: (name: string) => `reduced how long ${name} can see data`,
  narrowedAndShortened: (name: string) => `reduced what ${name} can see and for how long`,
} as const;
