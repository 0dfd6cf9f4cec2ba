import type { Migration } from '../../../platform/postgres/database.ts';

export const APPLICATIONS: Migration = {
  name: '0004-applications',
  sql: `
    CREATE TABLE applications (
      -- In lower case: two ids that differ in that only are one.
      id_key text PRIMARY KEY,
      -- Spelling of the first registration.
      id text NOT NULL,
      account_id uuid NOT NULL,
      developer text NOT NULL,
      -- Where the newest version stands; what PDAs read is the public one, until this one is.
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

    -- What an operator changed of an application for some PDAs; an empty word is no restriction.
    CREATE TABLE application_properties (
      id_key text NOT NULL,
      cluster text NOT NULL,
      pda text NOT NULL,
      properties text NOT NULL,
      changed bigint NOT NULL,
      PRIMARY KEY (id_key, cluster, pda)
    );

    -- One row with a new word at each change of what PDAs read: who kept the list asks for this word only. Written by verdicts, so seldom.
    CREATE TABLE catalogue (
      name text PRIMARY KEY,
      version text NOT NULL
    );
  `,
};
