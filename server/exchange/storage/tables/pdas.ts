export type PdaTable = {
  id: string;
  address: string;
  public_key: string;
  waiting_key: string | null;
  registered: number;
  refreshed: number;
  last_seen: number | null;
};

export type PdaTables = { pdas: PdaTable };
