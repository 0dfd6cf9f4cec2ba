/** The exchange: which one, where this PDA stands with it, what it has read there, and the accounts that come of it. */
export const network = `
-- What the owner chose in the dashboard; config.json comes before it.
CREATE TABLE network (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  exchange TEXT,
  contracts TEXT,
  -- 0: the owner has left the exchange, and stays away from it until they say otherwise.
  takes_part INTEGER NOT NULL,
  reports INTEGER NOT NULL
) STRICT;
INSERT INTO network (id, exchange, contracts, takes_part, reports) VALUES (1, NULL, NULL, 1, 1);

-- Exchanges that may know this PDA, by the address they know it by: from before the first try until they have said that they forgot it.
CREATE TABLE registrations (
  exchange TEXT NOT NULL,
  address TEXT NOT NULL,
  -- The key that the exchange has verified.
  kid TEXT,
  since INTEGER,
  refreshed INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt INTEGER NOT NULL,
  problem TEXT,
  PRIMARY KEY (exchange, address)
) STRICT;

-- The last good list of each kind: \`applications\`, \`dataplugs\`, \`offers\`, \`keys\`. The body (JSON) holds what passed the check, nothing else.
CREATE TABLE exchange_lists (
  exchange TEXT NOT NULL,
  list TEXT NOT NULL,
  etag TEXT,
  read INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (exchange, list)
) STRICT;

-- Data Plugs that may sign in, once the owner has set up their application.
CREATE TABLE data_plugs (
  application TEXT PRIMARY KEY COLLATE NOCASE,
  exchange TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL
) STRICT;

-- Offers that were claimed: the Data Debit that each has led to, and the account by which the provider reads it.
CREATE TABLE offer_claims (
  offer TEXT PRIMARY KEY,
  exchange TEXT NOT NULL,
  debit_key TEXT NOT NULL UNIQUE,
  login TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  claimed INTEGER NOT NULL,
  -- The Offer (JSON) as it was claimed.
  details TEXT NOT NULL
) STRICT;

-- Tokens of the exchange that were used, until they would be refused for their age: each counts once.
CREATE TABLE exchange_tokens (
  jti TEXT PRIMARY KEY,
  expires INTEGER NOT NULL
) STRICT;

ALTER TABLE sessions ADD COLUMN offer TEXT;
-- Where the list came from that an application was set up from: the address of an exchange; empty: config.json.
ALTER TABLE applications ADD COLUMN origin TEXT NOT NULL DEFAULT '';
`;
