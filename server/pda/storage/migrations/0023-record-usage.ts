/**
 * Bytes of records by creator, per endpoint (including deleted endpoints until their rows are deleted) and in total.
 */
export const recordUsage = `
CREATE TABLE endpoint_usage (
  endpoint INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (endpoint, kind, name)
) STRICT, WITHOUT ROWID;

-- Sums over the endpoints that have a path.
CREATE TABLE record_usage (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- MATERIALIZED: without it the sorter would copy the text of every record.
WITH sizes AS MATERIALIZED (SELECT endpoint, origin, octet_length(data) AS bytes FROM records)
INSERT INTO endpoint_usage (endpoint, kind, name, bytes)
  SELECT endpoint, kind, name, sum(bytes) FROM sizes JOIN origins ON origins.id = sizes.origin GROUP BY endpoint, kind, name;

INSERT INTO record_usage (kind, name, bytes)
  SELECT kind, name, sum(endpoint_usage.bytes) FROM endpoint_usage JOIN endpoints ON endpoints.id = endpoint
  WHERE path IS NOT NULL GROUP BY kind, name;
`;
