import { expect, it } from 'vitest';
import { urlOfPda } from './pda-address.ts';

it('the URL of a PDA has http for localhost, names below it and 127.0.0.1, and https for every other host', () => {
  for (const address of ['localhost:4000', 'ada.localhost', 'a.b.localhost:1', '127.0.0.1:80'])
    expect(urlOfPda(address)).toBe(`http://${address}`);
  for (const address of ['ada.example.org', 'localhost.example.org', 'notlocalhost', '127.0.0.10', '[::1]:80'])
    expect(urlOfPda(address)).toBe(`https://${address}`);
});
