export type PlugTable = {
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

export type PlugTables = { plugs: PlugTable };
