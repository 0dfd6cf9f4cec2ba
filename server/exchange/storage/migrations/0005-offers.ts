import type { Migration } from '../../../platform/postgres/database.ts';

export const OFFERS: Migration = {
  name: '0005-offers',
  sql: `
    CREATE TABLE offers (
      id text PRIMARY KEY,
      -- The account that registered it.
      provider uuid NOT NULL,
      provider_name text NOT NULL,
      created bigint NOT NULL,
      -- Grows with every change of the draft.
      edition integer NOT NULL,
      title text NOT NULL,
      description text NOT NULL,
      starts bigint NOT NULL,
      expires bigint NOT NULL,
      collection_ms bigint NOT NULL,
      -- Data Bundles, as JSON.
      data_conditions text,
      required_data text NOT NULL,
      required_min bigint NOT NULL,
      required_max bigint NOT NULL,
      terms_url text,
      url text,
      logo_url text,
      -- What was decided about it. Whether it is satisfied or full follows from its slots: no claim ever writes this row.
      state text NOT NULL CHECK (state IN ('draft', 'approved', 'rejected'))
    );
    CREATE INDEX offers_by_time ON offers (created, id);
    CREATE INDEX offers_of_provider ON offers (provider, created);

    -- The places of an Offer, in up to 16 parts whose quotas add up to its requiredMaxUser. A place is taken by raising one part below its
    -- quota, so that the number cannot be passed whatever races, and thousands of PDAs do not wait for one row.
    CREATE TABLE offer_slots (
      offer_id text NOT NULL,
      shard integer NOT NULL,
      shards integer NOT NULL,
      quota bigint NOT NULL,
      taken bigint NOT NULL CHECK (taken >= 0 AND taken <= quota),
      -- Of the taken ones.
      confirmed bigint NOT NULL CHECK (confirmed >= 0 AND confirmed <= taken),
      PRIMARY KEY (offer_id, shard)
    );

    CREATE TABLE offer_claims (
      id uuid NOT NULL,
      offer_id text NOT NULL,
      pda_id uuid NOT NULL,
      -- Where its place is counted.
      shard integer NOT NULL,
      data_debit_id text NOT NULL,
      password_hash text NOT NULL,
      confirmed boolean NOT NULL,
      -- Time of the report by which it is confirmed or not; 0 when there was none.
      reported bigint NOT NULL,
      created bigint NOT NULL,
      PRIMARY KEY (offer_id, pda_id)
    );
    CREATE INDEX offer_claims_of_pda ON offer_claims (pda_id, data_debit_id);
    CREATE INDEX offer_claims_confirmed ON offer_claims (offer_id, pda_id) WHERE confirmed;
  `,
};
