import { describe, expect, it } from 'vitest';
import { type AccessModeFields, addressOf, toExposureChange, isLocalDomain } from './access-mode-rules.ts';

const TERMS = 'https://authority.example/terms';
const fields = (changes: Partial<AccessModeFields>): AccessModeFields => ({
  way: 'tunnel',
  relay: 'https://pda.example',
  domain: 'pda.example',
  agreed: true,
  publicUrl: '',
  host: '',
  subdomain: '',
  agreedToReader: false,
  passwordSignIn: false,
  ...changes,
});

describe('access mode form validation', () => {
  it('normalises the typed address and domain', () => {
    const input = fields({ relay: ' pda.example/ ', domain: ' .PDA.Example ' });
    expect(toExposureChange(input, TERMS)).toEqual({
      change: { way: 'tunnel', relay: 'https://pda.example', domain: 'pda.example', agreed: true },
    });
  });

  it('requires no input to remove the public address', () => {
    expect(toExposureChange(fields({ way: 'none', relay: '' }), TERMS)).toEqual({ change: { way: 'none' } });
  });

  it('reports missing and invalid addresses and domains, and missing consent', () => {
    const errorsOf = (changes: Partial<AccessModeFields>): string[] => {
      const result = toExposureChange(fields(changes), TERMS);
      return 'errors' in result ? Object.keys(result.errors) : [];
    };
    expect(errorsOf({ relay: '', domain: '' })).toEqual(['relay', 'domain']);
    expect(errorsOf({ relay: 'ftp://pda.example', domain: 'pda example' })).toEqual(['relay', 'domain']);
    expect(errorsOf({ domain: 'pda.example:8443' })).toEqual(['domain']);
    expect(errorsOf({ way: 'own', publicUrl: 'https://' })).toEqual(['publicUrl']);
    expect(errorsOf({ agreed: false })).toEqual(['agreed']);
  });

  it('ignores consent to terms that are unknown or not needed', () => {
    expect(toExposureChange(fields({}), null)).toMatchObject({ change: { agreed: false } });
    const localRelay = { relay: 'http://localhost:8080', domain: 'localhost' };
    expect(toExposureChange(fields(localRelay), TERMS)).toMatchObject({ change: { agreed: false } });
  });

  it('includes the localtunnel host in the consent, and reports missing and invalid fields', () => {
    const input = fields({ way: 'localtunnel', host: ' LT.example/ ', subdomain: ' Ada ', agreedToReader: true });
    expect(toExposureChange(input, TERMS)).toEqual({
      change: {
        way: 'localtunnel',
        host: 'https://LT.example',
        subdomain: 'ada',
        readableBy: 'lt.example',
        passwordSignIn: false,
      },
    });
    const incompleteChange = toExposureChange(fields({ way: 'localtunnel' }), TERMS);
    expect('errors' in incompleteChange && Object.keys(incompleteChange.errors)).toEqual([
      'host',
      'subdomain',
      'agreedToReader',
    ]);
    const invalidChange = toExposureChange({ ...input, host: 'ftp://lt.example', subdomain: 'a b' }, TERMS);
    expect('errors' in invalidChange && Object.keys(invalidChange.errors)).toEqual(['host', 'subdomain']);
  });

  it('recognises local domains and builds the public address', () => {
    expect(['localhost', 'pda.localhost', 'LOCALHOST'].map(isLocalDomain)).toEqual([true, true, true]);
    expect(['localhost.example', 'mylocalhost', 'pda.example'].map(isLocalDomain)).toEqual([false, false, false]);
    expect(addressOf('ada', 'localhost', 'http://localhost:8080')).toBe('http://ada.localhost:8080');
    expect(addressOf('ada', 'pda.example', 'pda.example:8443')).toBe('https://ada.pda.example:8443');
  });
});
