/** The durable queue of outgoing webhooks. */
export const outbox = `
-- A webhook stays until its receiver has acknowledged it. A dead letter stays until the owner discards it or it expires. The
-- body is stored as it is sent, so that each attempt sends the same bytes.
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  lane TEXT NOT NULL,
  -- Scheme, host and port of the address. Webhooks of one receiver with the same lane (ordering key) are delivered in order.
  receiver TEXT NOT NULL,
  event TEXT NOT NULL,
  url TEXT NOT NULL,
  body TEXT NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt INTEGER NOT NULL,
  last_problem TEXT,
  died INTEGER
) STRICT;
CREATE INDEX outbox_lanes ON outbox (receiver, lane, seq) WHERE died IS NULL;
CREATE INDEX outbox_dead ON outbox (died) WHERE died IS NOT NULL;
`;
