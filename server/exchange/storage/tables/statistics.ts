export type ReportedEventTable = { pda_id: string; event_id: string; shard: number; day: number };
export type PdaReportsTable = {
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
export type CountAdditionTable = {
  shard: number;
  id: string;
  time: number;
  bit: number | null;
  counts: string;
  names: string;
};
export type CountTotalTable = { kind: string; name: string; day: number; amount: number; updated: number };
export type ReportedNameTable = {
  endpoint: string;
  field: string;
  amount: number;
  seen: number;
  pdas: number;
  changed: number;
};
export type DataDescriptionTable = { namespace: string; endpoint: string; field: string; description: string };

export type StatisticsTables = {
  reported_events: ReportedEventTable;
  pda_reports: PdaReportsTable;
  count_additions: CountAdditionTable;
  count_totals: CountTotalTable;
  reported_names: ReportedNameTable;
  data_descriptions: DataDescriptionTable;
};
