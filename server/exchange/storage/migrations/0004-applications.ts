import type { Migration } from '../../../platform/postgres/database.ts';

export const APPLICATIONS: Migration = {
  name: '0004-applications',
  sql: `
    CREATE TABLE applications (
      -- The id in lower case, by which ids are compared.
      id_key text PRIMARY KEY,
      -- Spelling of the first registration.
      id text NOT NULL,
      account_id uuid NOT NULL,
      developer text NOT NULL,
      -- State of the newest version. PDAs read the public version until the newest one is published.
      state text NOT NULL CHECK (state IN ('draft', 'waiting', 'published')),
      suspended boolean NOT NULL,
      version text NOT NULL,
      body text NOT NULL,
      public_version text,
      public_body text,
      created bigint NOT NULL,
      changed bigint NOT NULL
    );
    CREATE INDEX applications_of_account ON applications (account_id, id_key);

    CREATE TABLE application_versions (
      id_key text NOT NULL,
      version text NOT NULL,
      body text NOT NULL,
      created bigint NOT NULL,
      published bigint,
      PRIMARY KEY (id_key, version)
    );

    -- Properties that an operator changed for some PDAs. An empty cluster or pda does not restrict.
    CREATE TABLE application_properties (
      id_key text NOT NULL,
      cluster text NOT NULL,
      pda text NOT NULL,
      properties text NOT NULL,
      changed bigint NOT NULL,
      PRIMARY KEY (id_key, cluster, pda)
    );

    -- One row, whose version changes with the published applications and their properties. Processes compare it with
    -- the version of their cached catalogue.
    CREATE TABLE catalogue (
      name text PRIMARY KEY,
      version text NOT NULL
    );
  `,
};
