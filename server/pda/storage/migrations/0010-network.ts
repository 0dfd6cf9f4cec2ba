/** The exchange: settings, registrations, cached lists, used tokens, and accounts of Data Plugs and claimed Offers. */
export const network = `
-- The owner's choice in the dashboard. config.json overrides it.
CREATE TABLE network (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  exchange TEXT,
  contracts TEXT,
  -- 0: the owner has left the exchange.
  takes_part INTEGER NOT NULL,
  reports INTEGER NOT NULL
) STRICT;
INSERT INTO network (id, exchange, contracts, takes_part, reports) VALUES (1, NULL, NULL, 1, 1);

-- Exchanges that may know this PDA, with its address there. Inserted before the first attempt to register and deleted when the
-- exchange has confirmed the removal.
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

-- The last valid list of each kind: \`applications\`, \`dataplugs\`, \`offers\`, \`keys\`. The body (JSON) holds validated entries only.
CREATE TABLE exchange_lists (
  exchange TEXT NOT NULL,
  list TEXT NOT NULL,
  etag TEXT,
  read INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (exchange, list)
) STRICT;

-- Data Plugs that may sign in after the owner has enabled their application.
CREATE TABLE data_plugs (
  application TEXT PRIMARY KEY COLLATE NOCASE,
  exchange TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL
) STRICT;

-- Claimed Offers, each with its Data Debit and the account with which the provider reads it.
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

-- Used tokens of the exchange, until they expire. Each token is accepted once.
CREATE TABLE exchange_tokens (
  jti TEXT PRIMARY KEY,
  expires INTEGER NOT NULL
) STRICT;

ALTER TABLE sessions ADD COLUMN offer TEXT;
-- Source of the list from which the application was enabled: the address of an exchange; empty: config.json.
ALTER TABLE applications ADD COLUMN origin TEXT NOT NULL DEFAULT '';
`;
