/** Contracts that the owner joined, and the keys by which the tokens of contracts are known. */
export const contracts = `
CREATE TABLE contracts (
  -- As the application of kind Contract was written when it was set up. Exact: the contract ACME is not the contract acme.
  id TEXT PRIMARY KEY,
  -- joining, joined, leaving or failed: what the contracts service knows. What is allowed here goes by it too, at once.
  state TEXT NOT NULL,
  -- Counts changes of mind: an answer to what was wanted before says nothing of what is wanted now.
  turn INTEGER NOT NULL DEFAULT 0,
  -- Which service was told, or perhaps was, and under which name of this PDA; NULL: none.
  service TEXT,
  pda_name TEXT,
  -- What the service says of the contract (JSON, checked).
  description TEXT,
  joined INTEGER,
  since INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt INTEGER NOT NULL,
  problem TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE contract_keys (
  service TEXT PRIMARY KEY,
  -- A JSON array of public keys (JWK, checked).
  keys TEXT NOT NULL,
  fetched INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
