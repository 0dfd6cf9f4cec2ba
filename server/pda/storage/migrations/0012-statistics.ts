/** Reports of counts to the exchange: how far was counted, and what is not delivered yet. */
export const statistics = `
CREATE TABLE statistics (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The exchange that is reported to. What was counted for one is nothing to another.
  service TEXT NOT NULL,
  -- Up to which data event, row of the ledger, and entry in the history of Data Debits was counted.
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
  -- Goes with the event: one that the exchange knows already counts no second time.
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  -- The application, or the key of the Data Debit.
  subject TEXT NOT NULL,
  time INTEGER NOT NULL,
  -- 1: it may have arrived, so nothing in it changes any more.
  tried INTEGER NOT NULL DEFAULT 0,
  -- JSON: \`stats\`, or the operation.
  body TEXT NOT NULL
) STRICT;
`;
