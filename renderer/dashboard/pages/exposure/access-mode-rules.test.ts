import { describe, expect, it } from 'vitest';
import { type Fields, addressOf, changeOf, isLocalDomain } from './access-mode-rules.ts';

const TERMS = 'https://authority.example/terms';
const fields = (more: Partial<Fields>): Fields => ({
  way: 'tunnel',
  relay: 'https://pda.example',
  domain: 'pda.example',
  agreed: true,
  publicUrl: '',
  host: '',
  subdomain: '',
  readable: false,
  passwordSignIn: false,
  ...more,
});

describe('the form of the way', () => {
  it('sends what was typed as an address and a domain', () => {
    const typed = fields({ relay: ' pda.example/ ', domain: ' .PDA.Example ' });
    expect(changeOf(typed, TERMS)).toEqual({
      change: { way: 'tunnel', relay: 'https://pda.example', domain: 'pda.example', agreed: true },
    });
    expect(changeOf(fields({ way: 'none' }), TERMS)).toEqual({ change: { way: 'none' } });
  });

  it('says what is missing and what is no address or domain', () => {
    const faultsOf = (more: Partial<Fields>): string[] => {
      const found = changeOf(fields(more), TERMS);
      return 'faults' in found ? Object.keys(found.faults) : [];
    };
    expect(faultsOf({ relay: '', domain: '' })).toEqual(['relay', 'domain']);
    expect(faultsOf({ relay: 'ftp://pda.example', domain: 'pda example' })).toEqual(['relay', 'domain']);
    expect(faultsOf({ domain: 'pda.example:8443' })).toEqual(['domain']);
    expect(faultsOf({ way: 'own', publicUrl: 'https://' })).toEqual(['publicUrl']);
    expect(faultsOf({ agreed: false })).toEqual(['agreed']);
  });

  it('rejects an agreement to unknown or missing terms', () => {
    expect(changeOf(fields({}), null)).toMatchObject({ change: { agreed: false } });
    const local = { relay: 'http://localhost:8080', domain: 'localhost' };
    expect(changeOf(fields(local), TERMS)).toMatchObject({ change: { agreed: false } });
  });

  it('sends the agreement with the host that it names, and nothing without it', () => {
    const typed = fields({ way: 'localtunnel', host: ' LT.example/ ', subdomain: ' Ada ', readable: true });
    expect(changeOf(typed, TERMS)).toEqual({
      change: {
        way: 'localtunnel',
        host: 'https://LT.example',
        subdomain: 'ada',
        readableBy: 'lt.example',
        passwordSignIn: false,
      },
    });
    const missing = changeOf(fields({ way: 'localtunnel' }), TERMS);
    expect('faults' in missing && Object.keys(missing.faults)).toEqual(['host', 'subdomain', 'readable']);
    const bad = changeOf({ ...typed, host: 'ftp://lt.example', subdomain: 'a b' }, TERMS);
    expect('faults' in bad && Object.keys(bad.faults)).toEqual(['host', 'subdomain']);
  });

  it('knows which domains lead to this computer, and the address that a name gets', () => {
    expect(['localhost', 'pda.localhost', 'LOCALHOST'].map(isLocalDomain)).toEqual([true, true, true]);
    expect(['localhost.example', 'mylocalhost', 'pda.example'].map(isLocalDomain)).toEqual([false, false, false]);
    expect(addressOf('ada', 'localhost', 'http://localhost:8080')).toBe('http://ada.localhost:8080');
    expect(addressOf('ada', 'pda.example', 'pda.example:8443')).toBe('https://ada.pda.example:8443');
  });
});
