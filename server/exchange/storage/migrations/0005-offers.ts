import type { Migration } from '../../../platform/postgres/database.ts';

export const OFFERS: Migration = {
  name: '0005-offers',
  sql: `
    CREATE TABLE offers (
      id text PRIMARY KEY,
      -- Account that registered the Offer.
      provider uuid NOT NULL,
      provider_name text NOT NULL,
      created bigint NOT NULL,
      -- Incremented by every change of the draft.
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
      -- Decision about the Offer. Its slots determine whether it is satisfied or full, so claims never write this row.
      state text NOT NULL CHECK (state IN ('draft', 'approved', 'rejected'))
    );
    CREATE INDEX offers_by_time ON offers (created, id);
    CREATE INDEX offers_of_provider ON offers (provider, created);

    -- Claim counters of an Offer, in up to 16 shards whose quotas add up to its requiredMaxUser. A claim increments a
    -- shard that is below its quota: races cannot exceed the maximum, and PDAs do not wait for a single row.
    CREATE TABLE offer_slots (
      offer_id text NOT NULL,
      shard integer NOT NULL,
      shards integer NOT NULL,
      quota bigint NOT NULL,
      taken bigint NOT NULL CHECK (taken >= 0 AND taken <= quota),
      -- Number of taken slots whose claim is confirmed.
      confirmed bigint NOT NULL CHECK (confirmed >= 0 AND confirmed <= taken),
      PRIMARY KEY (offer_id, shard)
    );

    CREATE TABLE offer_claims (
      id uuid NOT NULL,
      offer_id text NOT NULL,
      pda_id uuid NOT NULL,
      -- Shard in which the claim is counted.
      shard integer NOT NULL,
      data_debit_id text NOT NULL,
      password_hash text NOT NULL,
      confirmed boolean NOT NULL,
      -- Time of the last applied report about the Data Debit; 0 if there was none.
      reported bigint NOT NULL,
      created bigint NOT NULL,
      PRIMARY KEY (offer_id, pda_id)
    );
    CREATE INDEX offer_claims_of_pda ON offer_claims (pda_id, data_debit_id);
    CREATE INDEX offer_claims_confirmed ON offer_claims (offer_id, pda_id) WHERE confirmed;
  `,
};
