/**
 * Digests of large records, by which they are compared with other values. NULL: not computed yet. An id identifies one
 * state of the data: changed data gets a new row, and ids are never reused. A digest that was computed for an id
 * therefore cannot belong to other data.
 *
 * Triggers update the endpoint and delete the digest with its record. Fingerprint indexes of endpoints with large
 * records are discarded, because those records have no digests yet.
 */
export const recordDigests = `
CREATE TABLE record_digests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  seq INTEGER NOT NULL UNIQUE,
  endpoint INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  digest TEXT
) STRICT;
CREATE INDEX record_digests_missing ON record_digests (endpoint, seq) WHERE digest IS NULL;
CREATE INDEX record_digests_missing_of_origin ON record_digests (endpoint, origin, seq) WHERE digest IS NULL;

CREATE TRIGGER record_digest_removed AFTER DELETE ON records
WHEN EXISTS (SELECT 1 FROM record_digests WHERE seq = old.seq) BEGIN
  DELETE FROM record_digests WHERE seq = old.seq;
END;
CREATE TRIGGER record_digest_moved AFTER UPDATE OF endpoint ON records
WHEN EXISTS (SELECT 1 FROM record_digests WHERE seq = old.seq) BEGIN
  UPDATE record_digests SET endpoint = new.endpoint WHERE seq = old.seq;
END;

UPDATE endpoints SET fingerprinted_to = NULL WHERE fingerprinted_to IS NOT NULL
  AND EXISTS (SELECT 1 FROM records WHERE endpoint = endpoints.id AND octet_length(data) > 64000);
DELETE FROM fingerprints WHERE endpoint IN (SELECT id FROM endpoints WHERE fingerprinted_to IS NULL);
`;
