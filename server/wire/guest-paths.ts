// Paths of the pages for guests, and of the pages of share links and invitations.

/** Path of the page of a share link, without the token. */
export const SHARE_PATH = '/share';
/** Path of the invitation page, without the token. */
export const INVITATION_PATH = '/invitation';
export const GUEST_PATH = '/guest';
/** Path of the guest pages' passkey script, which is a file of the built dashboard. */
export const GUEST_SCRIPT_PATH = '/guest-passkeys.js';
