import type { Migration } from '../../../platform/postgres/database.ts';

export const PDAS: Migration = {
  name: '0002-pdas',
  sql: `
    CREATE TABLE pdas (
      id uuid PRIMARY KEY,
      address text NOT NULL UNIQUE,
      public_key text NOT NULL,
      -- A key that was shown at the address without the signature of the one before. An administrator lets it in, or nobody.
      waiting_key text,
      registered bigint NOT NULL,
      refreshed bigint NOT NULL,
      last_seen bigint
    );
  `,
};
