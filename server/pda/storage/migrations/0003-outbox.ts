/** What must still reach somebody else. */
export const outbox = `
-- A message is here until its receiver has answered, or until it is dead and the owner (or time) has thrown it away. The body is kept as
-- the bytes that are sent, so that each try of a message is the same message.
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  lane TEXT NOT NULL,
  -- Scheme, host and port of the address: a lane is what one receiver hears of one thing.
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
