/**
 * Networks from which an account signed in. Wrong passwords from other networks do not use up the attempts of these
 * networks.
 */
export const signInNetworks = `
CREATE TABLE sign_in_networks (
  -- Replaced at each sign-in, so that ids give the order of sign-ins independently of the clock.
  id INTEGER PRIMARY KEY,
  -- 'owner', 'user:<id>', 'application:<id>' for a Data Plug, or 'offer:<id>'.
  account TEXT NOT NULL,
  -- An IPv4 address, or an IPv6 network of 64 bits.
  network TEXT NOT NULL,
  last_sign_in INTEGER NOT NULL,
  UNIQUE (account, network)
) STRICT;
`;
