import type { Migration } from '../../../platform/postgres/database.ts';

export const CONTRACTS: Migration = {
  name: '0001-contracts',
  sql: `
    CREATE TABLE contracts (
      id text PRIMARY KEY,
      -- The id as it is compared: in lower case. No two look alike.
      id_key text NOT NULL UNIQUE,
      name text NOT NULL,
      description text NOT NULL,
      developer text NOT NULL,
      -- JSON: [{namespace, read, write}]
      namespaces text NOT NULL,
      enabled boolean NOT NULL,
      created bigint NOT NULL
    );

    -- Long-lived tokens: the SHA-256 of each, and never the token.
    CREATE TABLE contract_tokens (
      hash text PRIMARY KEY,
      contract_id text NOT NULL,
      created bigint NOT NULL,
      -- When it stops; null while nothing has been decided.
      ends bigint
    );
    CREATE INDEX contract_tokens_of_contract ON contract_tokens (contract_id);

    -- The newest that has been published for a while signs.
    CREATE TABLE signing_keys (
      kid text PRIMARY KEY,
      private_pem text NOT NULL,
      public_pem text NOT NULL,
      created bigint NOT NULL
    );
  `,
};
