import type { AuditTables } from '../../platform/postgres/audit-log.ts';

export type Tables = AuditTables & {
  accounts: {
    id: string;
    name: string;
    name_key: string;
    password_hash: string;
    roles: string;
    enabled: boolean;
    created: number;
    last_seen: number | null;
  };
  sessions: { id: string; account_id: string; created: number };
  signing_keys: {
    kid: string;
    private_pem: string;
    public_pem: string;
    created: number;
    retired: number | null;
    signs: number | null;
  };
  secrets: { name: string; value: string };
  pdas: {
    id: string;
    address: string;
    public_key: string;
    waiting_key: string | null;
    registered: number;
    refreshed: number;
    last_seen: number | null;
  };
  plugs: {
    id: string;
    owner: string;
    created: number;
    name: string;
    name_key: string;
    description: string;
    url: string;
    illustration_url: string;
    password_hash: string;
    namespace: string;
    approved: boolean;
    connected: boolean;
    edition: number;
  };
  applications: {
    /** Id in lower case, for comparisons. */
    id_key: string;
    id: string;
    account_id: string;
    developer: string;
    state: 'draft' | 'waiting' | 'published';
    suspended: boolean;
    version: string;
    body: string;
    public_version: string | null;
    public_body: string | null;
    created: number;
    changed: number;
  };
  application_versions: {
    id_key: string;
    version: string;
    body: string;
    created: number;
    published: number | null;
  };
  application_properties: {
    id_key: string;
    cluster: string;
    pda: string;
    properties: string;
    changed: number;
  };
  catalogue: { name: string; version: string };
  offers: {
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
  offer_slots: {
    offer_id: string;
    shard: number;
    shards: number;
    quota: number;
    taken: number;
    confirmed: number;
  };
  offer_claims: {
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
  reported_events: { pda_id: string; event_id: string; shard: number; day: number };
  pda_reports: {
    pda_id: string;
    events: number;
    last: number;
    day: number;
    events_today: number;
    values_in_today: number;
    values_out_today: number;
    names_today: number;
    names_total: number;
  };
  count_additions: {
    shard: number;
    id: string;
    time: number;
    bit: number | null;
    counts: string;
    names: string;
  };
  count_totals: { kind: string; name: string; day: number; amount: number; updated: number };
  reported_names: {
    endpoint: string;
    field: string;
    amount: number;
    seen: number;
    pdas: number;
    changed: number;
  };
  data_descriptions: { namespace: string; endpoint: string; field: string; description: string };
};
