import type { Migration } from '../../../platform/postgres/database.ts';

export const MEMBERS: Migration = {
  name: '0002-members',
  sql: `
    -- Whose a name is, while the PDA has joined anything.
    CREATE TABLE pdas (
      name text PRIMARY KEY,
      address text NOT NULL,
      public_key text NOT NULL,
      since bigint NOT NULL
    );

    -- In the order of the keyring: it is read from this index alone.
    CREATE TABLE members (
      contract_id text NOT NULL,
      pda_name text NOT NULL,
      since bigint NOT NULL,
      PRIMARY KEY (contract_id, pda_name)
    );
    CREATE INDEX members_of_pda ON members (pda_name);

    -- Tokens by which a PDA joined or left, until their time is over: none counts twice.
    CREATE TABLE used_tokens (
      pda_name text NOT NULL,
      jti text NOT NULL,
      ends bigint NOT NULL,
      PRIMARY KEY (pda_name, jti)
    );
  `,
};
