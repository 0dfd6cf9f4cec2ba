/** Statistics for the exchange: cursors up to which changes were counted, and reports that were not yet delivered. */
export const statistics = `
CREATE TABLE statistics (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The exchange that receives the reports. Counts for one exchange are never sent to another.
  service TEXT NOT NULL,
  -- Cursors: last counted change event, row of the access log, and entry in the history of Data Debits.
  events_to INTEGER NOT NULL,
  ledger_to INTEGER NOT NULL,
  debits_to INTEGER NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  last_sent INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE statistic_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Idempotency key that is sent with the event.
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  -- The application, or the key of the Data Debit.
  subject TEXT NOT NULL,
  time INTEGER NOT NULL,
  -- 1: it may have been delivered, so it must not change.
  tried INTEGER NOT NULL DEFAULT 0,
  -- JSON: \`stats\`, or the operation.
  body TEXT NOT NULL
) STRICT;
`;
