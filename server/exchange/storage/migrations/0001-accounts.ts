import type { Migration } from '../../../platform/postgres/database.ts';

export const ACCOUNTS: Migration = {
  name: '0001-accounts',
  sql: `
    CREATE TABLE accounts (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      -- The lower-case name: names are unique regardless of case.
      name_key text NOT NULL UNIQUE,
      password_hash text NOT NULL,
      -- Role names, separated by spaces.
      roles text NOT NULL,
      enabled boolean NOT NULL,
      created bigint NOT NULL,
      last_seen bigint
    );

    -- Ended sessions are deleted.
    CREATE TABLE sessions (
      id uuid PRIMARY KEY,
      account_id uuid NOT NULL,
      created bigint NOT NULL
    );
    CREATE INDEX sessions_of_account ON sessions (account_id);

    CREATE TABLE signing_keys (
      kid text PRIMARY KEY,
      private_pem text NOT NULL,
      public_pem text NOT NULL,
      created bigint NOT NULL,
      retired bigint,
      -- 1 for the key that signs, null for all others. Unique, so that two processes cannot both create one.
      signs smallint UNIQUE
    );

    -- Secrets that all processes of this exchange share.
    CREATE TABLE secrets (
      name text PRIMARY KEY,
      value text NOT NULL
    );
  `,
};
