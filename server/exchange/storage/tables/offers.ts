export type OfferTable = {
  id: string;
  provider: string;
  provider_name: string;
  created: number;
  edition: number;
  title: string;
  description: string;
  starts: number;
  expires: number;
  collection_ms: number;
  data_conditions: string | null;
  required_data: string;
  required_min: number;
  required_max: number;
  terms_url: string | null;
  url: string | null;
  logo_url: string | null;
  state: 'draft' | 'approved' | 'rejected';
};
export type OfferSlotTable = {
  offer_id: string;
  shard: number;
  shards: number;
  quota: number;
  taken: number;
  confirmed: number;
};
export type OfferClaimTable = {
  id: string;
  offer_id: string;
  pda_id: string;
  shard: number;
  data_debit_id: string;
  password_hash: string;
  confirmed: boolean;
  reported: number;
  created: number;
};

export type OfferTables = {
  offers: OfferTable;
  offer_slots: OfferSlotTable;
  offer_claims: OfferClaimTable;
};
