import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildApplication } from './application.test-support.ts';
import {
  compareScopes,
  displayedState,
  matchesScope,
  publishSubmitted,
  reviseDraft,
  submitDraft,
  suspendPublished,
  versionAbove,
  withProperties,
  type PublicationState,
} from './rules.ts';

const properties = {
  title: 'x',
  namespace: 'x',
  description: '',
  logoUrl: '',
  url: 'https://new.example.org/',
  authUrl: '',
  browser: false,
  category: 'app',
  setup: true,
  loginAvailable: true,
};

describe('versionAbove', () => {
  it('returns the version if it is above the highest published one, otherwise the next patch of the latter', () => {
    expect(versionAbove('1.10.0', '1.9.9')).toBe('1.10.0');
    expect(versionAbove('1.9.9', '1.10.0')).toBe('1.10.1');
    expect(versionAbove('1.0.0', '1.0.0')).toBe('1.0.1');
    expect(versionAbove('1.2.0', '1.1.9')).toBe('1.2.0');
    expect(versionAbove('1.0.3', '5.0.0')).toBe('5.0.1');
  });
});

describe('publication state', () => {
  it('never makes a version public that was not submitted, in any order of actions', () => {
    const action = fc.constantFrom('change', 'submit', 'publish', 'suspend');
    fc.assert(
      fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
        let state: PublicationState = { state: 'draft', suspended: false, version: '1.0.0', publicVersion: null };
        const reviewedVersions = new Set<string>();
        for (const name of actions) {
          try {
            const previousState = state;
            if (name === 'change')
              state = reviseDraft(state, versionAbove('0.0.0', state.version), state.publicVersion);
            if (name === 'submit') state = submitDraft(state);
            if (name === 'publish') state = publishSubmitted(state);
            if (name === 'suspend') state = suspendPublished(state);
            if (name === 'publish' && previousState.state === 'waiting') reviewedVersions.add(previousState.version);
          } catch {
            // A refused action leaves the state unchanged.
          }
          const { publicVersion } = state;
          expect(publicVersion === null || reviewedVersions.has(publicVersion)).toBe(true);
          if (displayedState(state) === 'published') expect(publicVersion).toBe(state.version);
        }
      }),
    );
  });
});

describe('changed properties', () => {
  it('apply to the PDAs of a domain, to one PDA or to all readers', () => {
    const clusterScope = { cluster: 'near.example', pda: '' };
    expect(matchesScope(clusterScope, 'ada.near.example')).toBe(true);
    expect(matchesScope(clusterScope, 'ada.near.example:8080')).toBe(true);
    expect(matchesScope(clusterScope, 'ada.notnear.example')).toBe(false);
    expect(matchesScope(clusterScope, null)).toBe(false);
    expect(matchesScope({ cluster: '', pda: 'ada.near.example' }, 'ada.near.example')).toBe(true);
    expect(matchesScope({ cluster: 'far.example', pda: 'ada.near.example' }, 'ada.near.example')).toBe(false);
    const portScope = { cluster: 'near.example:8443', pda: '' };
    expect(
      [
        'ada.near.example:8443',
        'near.example:8443',
        'ada.near.example',
        'ada.near.example:8080',
        'adanear.example:8443',
      ].map((address) => matchesScope(portScope, address)),
    ).toStrictEqual([true, true, false, false, false]);
    expect(matchesScope({ cluster: '', pda: '' }, null)).toBe(true);
    const scopes = [{ cluster: '', pda: 'a.b' }, clusterScope, { cluster: '', pda: '' }];
    expect(scopes.toSorted(compareScopes)).toEqual(scopes.toReversed());
  });

  it('leave other fields and rights unchanged, and ignore an authentication address of a different origin', () => {
    const original = buildApplication('it');
    const withUrl = withProperties(original, properties);
    expect(withUrl).toEqual({ ...original, kind: { ...original.kind, url: properties.url } });
    const changedApplication = withProperties(original, {
      ...properties,
      description: 'New',
      authUrl: '//evil.example/x',
    });
    expect(changedApplication.info.description).toEqual({ text: 'New' });
    expect(changedApplication.permissions).toEqual(original.permissions);
    expect(changedApplication.setup.url).toBeUndefined();
  });

  it('resolve the authentication address within the address of the application', () => {
    const setupUrlOf = (url: string, authUrl: string) =>
      withProperties(buildApplication('it'), { ...properties, url, authUrl }).setup.url;
    expect(setupUrlOf('https://new.example.org', 'login')).toBe('https://new.example.org/login');
    expect(setupUrlOf('https://new.example.org/app', 'login?from=pda')).toBe(
      'https://new.example.org/app/login?from=pda',
    );
    expect(setupUrlOf('https://new.example.org/app/', '/login')).toBe('https://new.example.org/app/login');
    expect(setupUrlOf('https://new.example.org/app?lang=en', 'login')).toBe('https://new.example.org/app/login');
    expect(setupUrlOf('https://new.example.org/app', '../other')).toBeUndefined();
    // PDAs refuse longer addresses. The letter ä takes six characters in a URL.
    expect(setupUrlOf('https://new.example.org/app', 'ä'.repeat(400))).toBeUndefined();
  });
});
