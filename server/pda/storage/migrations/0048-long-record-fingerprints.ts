/**
 * Long records have a fingerprint of their text, no longer of their value. The indexes are built again when they are
 * next needed.
 */
export const longRecordFingerprints = `
DELETE FROM fingerprints;
UPDATE endpoints SET fingerprinted_to = NULL WHERE fingerprinted_to IS NOT NULL;
`;
