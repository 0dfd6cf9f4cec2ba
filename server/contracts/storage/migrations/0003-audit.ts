import type { Migration } from '../../../platform/postgres/database.ts';

export const AUDIT: Migration = {
  name: '0003-audit',
  sql: `
    -- Rows are added, and never changed or taken away.
    CREATE TABLE audit (
      id uuid PRIMARY KEY,
      time bigint NOT NULL,
      who text NOT NULL,
      what text NOT NULL,
      subject text NOT NULL,
      detail text NOT NULL
    );
  `,
};
