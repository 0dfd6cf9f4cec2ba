/** How this PDA is reached from outside, as the owner chose it in the dashboard; config.json comes before it. */
export const exposure = `
CREATE TABLE exposure (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- none, tunnel or own.
  way TEXT NOT NULL,
  relay TEXT,
  domain TEXT,
  -- 1: to the terms of the authority that certificates come from.
  agreed INTEGER NOT NULL,
  public_url TEXT,
  -- When the owner went dark; NULL: they have not. Whatever the way is.
  dark INTEGER
) STRICT;
INSERT INTO exposure (id, way, relay, domain, agreed, public_url, dark) VALUES (1, 'none', NULL, NULL, 0, NULL, NULL);
`;
