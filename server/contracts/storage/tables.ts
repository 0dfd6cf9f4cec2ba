import type { AuditTables } from '../../platform/postgres/audit-log.ts';

export type Tables = AuditTables & {
  contracts: {
    id: string;
    id_key: string;
    name: string;
    description: string;
    developer: string;
    namespaces: string;
    enabled: boolean;
    created: number;
  };
  contract_tokens: { hash: string; contract_id: string; created: number; ends: number | null };
  signing_keys: { kid: string; private_pem: string; public_pem: string; created: number };
  pdas: { name: string; address: string; public_key: string; since: number };
  members: { contract_id: string; pda_name: string; since: number };
  used_tokens: { pda_name: string; jti: string; ends: number };
};
