/**
 * `record_views`: selections of records that the owner saved; `view` is JSON, see server/wire/record-views.ts.
 * `table_indexes`: reads of tables and charts that are slow without an index. `columns` is JSON and describes the read;
 * `used` is the time of the last use.
 *
 * Both tables store endpoints by name, so that their rows survive the deletion and restoration of an endpoint.
 */
export const recordTable = `
CREATE TABLE record_views (
  id TEXT PRIMARY KEY,
  endpoint TEXT NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  view TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX record_views_of ON record_views (endpoint, position);

CREATE TABLE table_indexes (
  endpoint TEXT NOT NULL,
  columns TEXT NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (endpoint, columns)
) STRICT, WITHOUT ROWID;
`;
