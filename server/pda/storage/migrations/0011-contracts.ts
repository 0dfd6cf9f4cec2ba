/** Contracts that the owner joined, and the public keys that verify the tokens of contracts. */
export const contracts = `
CREATE TABLE contracts (
  -- Contract id, spelled as in the application of kind Contract when it was enabled. Case-sensitive: ACME and acme are two contracts.
  id TEXT PRIMARY KEY,
  -- joining, joined, leaving or failed. Joining and leaving take effect locally before the service confirms them.
  state TEXT NOT NULL,
  -- Increases whenever joining or leaving begins. The response to an earlier request is then ignored.
  turn INTEGER NOT NULL DEFAULT 0,
  -- Contracts service that may know this PDA, and the PDA's name there. NULL: none.
  service TEXT,
  pda_name TEXT,
  -- Description of the contract by the service (JSON, validated).
  description TEXT,
  joined INTEGER,
  since INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt INTEGER NOT NULL,
  problem TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE contract_keys (
  service TEXT PRIMARY KEY,
  -- A JSON array of public keys (JWK, validated).
  keys TEXT NOT NULL,
  fetched INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
