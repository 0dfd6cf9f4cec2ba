export type AccountTable = {
  id: string;
  name: string;
  name_key: string;
  password_hash: string;
  roles: string;
  enabled: boolean;
  created: number;
  last_seen: number | null;
};
export type SessionTable = { id: string; account_id: string; created: number };
export type SigningKeyTable = {
  kid: string;
  private_pem: string;
  public_pem: string;
  created: number;
  retired: number | null;
  signs: number | null;
};
export type SecretTable = { name: string; value: string };

export type AccountTables = {
  accounts: AccountTable;
  sessions: SessionTable;
  signing_keys: SigningKeyTable;
  secrets: SecretTable;
};
