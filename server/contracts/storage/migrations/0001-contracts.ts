import type { Migration } from '../../../platform/postgres/database.ts';

export const CONTRACTS: Migration = {
  name: '0001-contracts',
  sql: `
    CREATE TABLE contracts (
      id text PRIMARY KEY,
      -- The id in lower case, so that ids are unique regardless of case.
      id_key text NOT NULL UNIQUE,
      name text NOT NULL,
      description text NOT NULL,
      developer text NOT NULL,
      -- JSON: [{namespace, read, write}]
      namespaces text NOT NULL,
      enabled boolean NOT NULL,
      created bigint NOT NULL
    );

    -- Long-lived tokens. Only their SHA-256 hashes are stored.
    CREATE TABLE contract_tokens (
      hash text PRIMARY KEY,
      contract_id text NOT NULL,
      created bigint NOT NULL,
      -- Expiry; null if the token does not expire.
      ends bigint
    );
    CREATE INDEX contract_tokens_of_contract ON contract_tokens (contract_id);

    -- Keys of short-lived tokens. The newest key that has been published long enough signs.
    CREATE TABLE signing_keys (
      kid text PRIMARY KEY,
      private_pem text NOT NULL,
      public_pem text NOT NULL,
      created bigint NOT NULL
    );
  `,
};
