import type { Migration } from '../../../platform/postgres/database.ts';

export const ACCOUNTS: Migration = {
  name: '0001-accounts',
  sql: `
    CREATE TABLE accounts (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      -- The name as it is compared: in lower case.
      name_key text NOT NULL UNIQUE,
      password_hash text NOT NULL,
      -- Words with a space between them.
      roles text NOT NULL,
      enabled boolean NOT NULL,
      created bigint NOT NULL,
      last_seen bigint
    );

    -- A session that has ended is not here.
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
      -- 1 for the key that signs, else null: of two processes that make one at the same time, one wins.
      signs smallint UNIQUE
    );

    -- One row for each: secrets that every process of this exchange needs to know.
    CREATE TABLE secrets (
      name text PRIMARY KEY,
      value text NOT NULL
    );
  `,
};
