export type AuditTable = {
  id: string;
  time: number;
  who: string;
  what: string;
  subject: string;
  detail: string;
};

export type AuditTables = { audit: AuditTable };
