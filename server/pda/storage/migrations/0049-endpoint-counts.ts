/** Number of endpoints at which a creator has records, without deleted endpoints. */
export const endpointCounts = `
ALTER TABLE record_usage ADD COLUMN endpoints INTEGER NOT NULL DEFAULT 0;

UPDATE record_usage SET endpoints = (
  SELECT count(*) FROM endpoint_usage AS part JOIN endpoints ON endpoints.id = part.endpoint
  WHERE path IS NOT NULL AND part.kind = record_usage.kind AND part.name = record_usage.name);
`;
