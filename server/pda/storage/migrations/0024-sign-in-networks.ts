/** Networks from which an account signed in, so that wrong passwords from elsewhere do not use up its tries there. */
export const signInNetworks = `
CREATE TABLE sign_in_networks (
  -- A new one with each sign-in: the order of sign-ins, whatever the clock said.
  id INTEGER PRIMARY KEY,
  -- 'owner', 'user:<id>', 'application:<id>' for a Data Plug, or 'offer:<id>'.
  account TEXT NOT NULL,
  -- An IPv4 address, or an IPv6 network of 64 bits.
  network TEXT NOT NULL,
  last_sign_in INTEGER NOT NULL,
  UNIQUE (account, network)
) STRICT;
`;
