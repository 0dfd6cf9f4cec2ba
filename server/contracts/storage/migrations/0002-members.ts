import type { Migration } from '../../../platform/postgres/database.ts';

export const MEMBERS: Migration = {
  name: '0002-members',
  sql: `
    -- PDAs that joined at least one contract. Binds each name to an address and a key.
    CREATE TABLE pdas (
      name text PRIMARY KEY,
      address text NOT NULL,
      public_key text NOT NULL,
      since bigint NOT NULL
    );

    -- Ordered like the keyring, which is read from the primary key alone.
    CREATE TABLE members (
      contract_id text NOT NULL,
      pda_name text NOT NULL,
      since bigint NOT NULL,
      PRIMARY KEY (contract_id, pda_name)
    );
    CREATE INDEX members_of_pda ON members (pda_name);

    -- Tokens with which PDAs joined or left, until they expire. Each token works only once.
    CREATE TABLE used_tokens (
      pda_name text NOT NULL,
      jti text NOT NULL,
      ends bigint NOT NULL,
      PRIMARY KEY (pda_name, jti)
    );
  `,
};
