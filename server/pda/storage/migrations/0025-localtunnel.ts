/**
 * Settings of a localtunnel server: host, subdomain, the host whose operator the owner allowed to read the traffic, and
 * whether passwords are accepted through the server.
 */
export const localtunnel = `
ALTER TABLE exposure ADD COLUMN host TEXT;
ALTER TABLE exposure ADD COLUMN subdomain TEXT;
ALTER TABLE exposure ADD COLUMN readable_by TEXT;
ALTER TABLE exposure ADD COLUMN password_sign_in INTEGER NOT NULL DEFAULT 0;
`;
