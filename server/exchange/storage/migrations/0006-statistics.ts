import type { Migration } from '../../../platform/postgres/database.ts';

export const STATISTICS: Migration = {
  name: '0006-statistics',
  sql: `
    -- Ids of counted events, stored while a repeated event is young enough to be counted.
    CREATE TABLE reported_events (
      pda_id uuid NOT NULL,
      event_id uuid NOT NULL,
      -- Random, so that concurrent inserts use different parts of the index by day.
      shard smallint NOT NULL,
      -- Day of receipt, in days since 1970.
      day integer NOT NULL,
      PRIMARY KEY (pda_id, event_id)
    );
    CREATE INDEX reported_events_by_day ON reported_events (shard, day);

    -- One row per reporting PDA, written only by its reports: totals, and today's use of the limits.
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

    -- Counts that are not in the totals yet: one row per report, registration or removal of a PDA, so that concurrent
    -- transactions do not wait for each other.
    CREATE TABLE count_additions (
      shard smallint NOT NULL,
      id uuid NOT NULL,
      time bigint NOT NULL,
      -- Bit of the reporting PDA in reported_names.seen; null if the row is not a report.
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

    -- Endpoints (with an empty field) and their fields. A PDA is only one of fifty bits, so that rows do not identify
    -- PDAs.
    CREATE TABLE reported_names (
      endpoint text NOT NULL,
      field text NOT NULL,
      amount bigint NOT NULL,
      seen bigint NOT NULL,
      -- Number of bits that are set in \`seen\`: a lower bound of the number of reporting PDAs.
      pdas smallint NOT NULL,
      changed bigint NOT NULL,
      PRIMARY KEY (endpoint, field)
    );

    -- Description of a namespace (endpoint and field empty), an endpoint (field empty) or a field.
    CREATE TABLE data_descriptions (
      namespace text NOT NULL,
      endpoint text NOT NULL,
      field text NOT NULL,
      description text NOT NULL,
      PRIMARY KEY (namespace, endpoint, field)
    );
  `,
};
