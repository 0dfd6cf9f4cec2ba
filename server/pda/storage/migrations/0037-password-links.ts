/** Invitations with a user in `password_of` are links with which this user sets a new password, once. */
export const passwordLinks = `
ALTER TABLE invitations ADD COLUMN password_of TEXT REFERENCES users (id) ON DELETE CASCADE;
CREATE INDEX invitations_for_password ON invitations (password_of) WHERE password_of IS NOT NULL;
`;
