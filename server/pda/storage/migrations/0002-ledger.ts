/** The ledger: who got at the data, or tried to. Nothing in it is ever changed but counts and bytes that were still running. */
export const ledger = `
-- What rows are searched by, each combination once: who, by which consent, with which outcome. Totals are for summaries.
CREATE TABLE ledger_groups (
  id INTEGER PRIMARY KEY,
  who_kind TEXT NOT NULL,
  who_name TEXT NOT NULL,
  consent_kind TEXT NOT NULL,
  consent_name TEXT NOT NULL,
  refused INTEGER NOT NULL,
  -- Whether the calls read, and whether their rows name records.
  reads INTEGER NOT NULL,
  holds INTEGER NOT NULL,
  calls INTEGER NOT NULL DEFAULT 0,
  records INTEGER NOT NULL DEFAULT 0,
  UNIQUE (who_kind, who_name, consent_kind, consent_name, refused, reads, holds)
) STRICT;

-- What the rows of one and the same kind of call share: action, status, reason, consent, endpoints, fields, address.
CREATE TABLE ledger_shapes (
  id INTEGER PRIMARY KEY,
  shape TEXT NOT NULL UNIQUE
) STRICT;

-- The id holds the time; behind: milliseconds by which the clock was behind the order. places: packed runs.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  grp INTEGER NOT NULL,
  shape INTEGER NOT NULL,
  behind INTEGER NOT NULL,
  count INTEGER NOT NULL,
  records INTEGER NOT NULL,
  bytes INTEGER,
  places BLOB
) STRICT;
CREATE INDEX ledger_by_group ON ledger (grp);
CREATE INDEX ledger_behind ON ledger (behind) WHERE behind > 0;

-- Records are numbered as they are first seen: what is read together has neighbouring numbers. tail: the random half of the id.
CREATE TABLE ledger_places (
  place INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL UNIQUE,
  tail BLOB
) STRICT;

-- The places of sixteen rows of a group, of sixteen such unions, and so on: by them the rows of one record are found. Cut into blocks of
-- places, so that a search reads only the block that it is about.
CREATE TABLE ledger_unions (
  grp INTEGER NOT NULL,
  level INTEGER NOT NULL,
  block INTEGER NOT NULL,
  last INTEGER NOT NULL,
  first INTEGER NOT NULL,
  places BLOB NOT NULL,
  PRIMARY KEY (grp, level, block, last)
) STRICT, WITHOUT ROWID;

-- Unions that wait until there are sixteen of them, whole.
CREATE TABLE ledger_waiting (
  id INTEGER PRIMARY KEY,
  grp INTEGER NOT NULL,
  level INTEGER NOT NULL,
  last INTEGER NOT NULL,
  first INTEGER NOT NULL,
  places BLOB NOT NULL,
  UNIQUE (grp, level, last)
) STRICT;

-- Every place that a group met, so that one look leaves out the groups that never met it. id: four times the group, plus 0 for rows that are in no
-- union yet, 1 for unions that are in none, 2 for all the others.
CREATE TABLE ledger_met (
  id INTEGER PRIMARY KEY,
  places BLOB NOT NULL
) STRICT;

CREATE TABLE ledger_days (
  day INTEGER NOT NULL,
  grp INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY (day, grp)
) STRICT, WITHOUT ROWID;
`;
