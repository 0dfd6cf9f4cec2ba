import type { Migration } from '../../../platform/postgres/database.ts';

export const PDAS: Migration = {
  name: '0002-pdas',
  sql: `
    CREATE TABLE pdas (
      id uuid PRIMARY KEY,
      address text NOT NULL UNIQUE,
      public_key text NOT NULL,
      -- A key that was proven at the address without a signature of the previous key. Only an administrator can approve it.
      waiting_key text,
      registered bigint NOT NULL,
      refreshed bigint NOT NULL,
      last_seen bigint
    );
  `,
};
