/** The public address of this PDA, as chosen in the dashboard. config.json overrides it. */
export const exposure = `
CREATE TABLE exposure (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- none, tunnel or own.
  way TEXT NOT NULL,
  relay TEXT,
  domain TEXT,
  -- 1: the owner agreed to the terms of the certificate authority.
  agreed INTEGER NOT NULL,
  public_url TEXT,
  -- When the owner went dark; NULL: not dark. Independent of the way.
  dark INTEGER
) STRICT;
INSERT INTO exposure (id, way, relay, domain, agreed, public_url, dark) VALUES (1, 'none', NULL, NULL, 0, NULL, NULL);
`;
