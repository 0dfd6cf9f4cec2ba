/** Names of tables and columns that say what they contain. */
export const plainNames = `
ALTER TABLE examples RENAME COLUMN put TO added;
ALTER TABLE first_steps RENAME COLUMN waved TO dismissed;
ALTER TABLE network RENAME COLUMN takes_part TO participates;
ALTER TABLE imports RENAME COLUMN reached TO cursor;
ALTER TABLE imports RENAME COLUMN broken TO problem_count;
ALTER TABLE import_troubles RENAME TO import_problems;
ALTER TABLE import_problems RENAME COLUMN place TO position;
ALTER TABLE debits RENAME COLUMN told TO last_notified;
ALTER TABLE debits RENAME COLUMN tell_at TO notify_at;
ALTER TABLE ledger_groups RENAME COLUMN holds TO has_records;
ALTER TABLE outbox RENAME COLUMN lane TO ordering_key;
ALTER TABLE earned_indexes RENAME TO query_indexes;
`;
