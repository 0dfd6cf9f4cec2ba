import type { Migration } from '../../../platform/postgres/database.ts';

export const STATISTICS: Migration = {
  name: '0006-statistics',
  sql: `
    -- Ids of events that were counted, for as long as they may be sent once more.
    CREATE TABLE reported_events (
      pda_id uuid NOT NULL,
      event_id uuid NOT NULL,
      -- Spreads the index by which old ones are found.
      shard smallint NOT NULL,
      -- Days since 1970 at which it came.
      day integer NOT NULL,
      PRIMARY KEY (pda_id, event_id)
    );
    CREATE INDEX reported_events_by_day ON reported_events (shard, day);

    -- One row for each PDA that reports, and none but that PDA's reports writes it: what it has sent, and what it used of its bounds today.
    CREATE TABLE pda_reports (
      pda_id uuid PRIMARY KEY,
      events bigint NOT NULL,
      last bigint NOT NULL,
      day integer NOT NULL,
      events_today bigint NOT NULL,
      values_in_today bigint NOT NULL,
      values_out_today bigint NOT NULL,
      names_today integer NOT NULL,
      names_total integer NOT NULL
    );

    -- What is to be added to the sums: one row for each report, taken together in the background. No two reports write the same row.
    CREATE TABLE count_additions (
      shard smallint NOT NULL,
      id uuid NOT NULL,
      time bigint NOT NULL,
      -- Which bit of reported_names.seen is this PDA's.
      bit smallint,
      counts text NOT NULL,
      names text NOT NULL,
      PRIMARY KEY (shard, id)
    );

    CREATE TABLE count_totals (
      kind text NOT NULL,
      name text NOT NULL,
      day integer NOT NULL,
      amount bigint NOT NULL,
      updated bigint NOT NULL,
      PRIMARY KEY (kind, name, day)
    );

    -- Endpoints (with an empty field) and their fields. No row tells of whom: a PDA is one of fifty bits.
    CREATE TABLE reported_names (
      endpoint text NOT NULL,
      field text NOT NULL,
      amount bigint NOT NULL,
      seen bigint NOT NULL,
      -- Bits of \`seen\` that are set: at least so many PDAs reported it.
      pdas smallint NOT NULL,
      changed bigint NOT NULL,
      PRIMARY KEY (endpoint, field)
    );

    -- Of a namespace (endpoint and field empty), an endpoint (field empty) or a field.
    CREATE TABLE data_descriptions (
      namespace text NOT NULL,
      endpoint text NOT NULL,
      field text NOT NULL,
      description text NOT NULL,
      PRIMARY KEY (namespace, endpoint, field)
    );
  `,
};
