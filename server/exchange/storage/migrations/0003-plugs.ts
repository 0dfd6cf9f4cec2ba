import type { Migration } from '../../../platform/postgres/database.ts';

export const PLUGS: Migration = {
  name: '0003-plugs',
  sql: `
    CREATE TABLE plugs (
      id uuid PRIMARY KEY,
      -- Account that owns the plug.
      owner uuid NOT NULL,
      created bigint NOT NULL,
      name text NOT NULL,
      -- The name in lower case, by which names are compared. Also the id of the plug's application.
      name_key text NOT NULL UNIQUE,
      description text NOT NULL,
      url text NOT NULL,
      illustration_url text NOT NULL,
      password_hash text NOT NULL,
      namespace text NOT NULL,
      approved boolean NOT NULL,
      connected boolean NOT NULL,
      -- Incremented by every change except connecting. Last number of the application's version, unless its owner
      -- published a higher version.
      edition integer NOT NULL
    );
  `,
};
