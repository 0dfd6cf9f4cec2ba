/** A name at a localtunnel server: the host that the owner agreed can read everything, and whether passwords may go over it. */
export const localtunnel = `
ALTER TABLE exposure ADD COLUMN host TEXT;
ALTER TABLE exposure ADD COLUMN subdomain TEXT;
ALTER TABLE exposure ADD COLUMN readable_by TEXT;
ALTER TABLE exposure ADD COLUMN password_sign_in INTEGER NOT NULL DEFAULT 0;
`;
