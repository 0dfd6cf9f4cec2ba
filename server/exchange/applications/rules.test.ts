import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { application } from './application.test-support.ts';
import {
  byWidth,
  changed,
  isFor,
  published,
  shownState,
  submitted,
  suspended,
  versionAbove,
  withProperties,
} from './rules.ts';
import type { Standing } from './rules.ts';

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

describe('versions', () => {
  it('are compared number by number', () => {
    expect(versionAbove('1.10.0', '1.9.9')).toBe('1.10.0');
    expect(versionAbove('1.9.9', '1.10.0')).toBe('1.10.1');
    expect(versionAbove('1.0.0', '1.0.0')).toBe('1.0.1');
    expect(versionAbove('1.2.0', '1.1.9')).toBe('1.2.0');
    expect(versionAbove('1.0.3', '5.0.0')).toBe('5.0.1');
  });
});

describe('an application', () => {
  it('shows to PDAs only what was submitted as it is, whatever is done to it in whatever order', () => {
    const act = fc.constantFrom('change', 'submit', 'publish', 'suspend');
    fc.assert(
      fc.property(fc.array(act, { maxLength: 20 }), (acts) => {
        let standing: Standing = { state: 'draft', suspended: false, version: '1.0.0', publicVersion: null };
        const seen = new Set<string>();
        for (const what of acts) {
          try {
            const before = standing;
            if (what === 'change')
              standing = changed(standing, versionAbove('0.0.0', standing.version), standing.publicVersion);
            if (what === 'submit') standing = submitted(standing);
            if (what === 'publish') standing = published(standing);
            if (what === 'suspend') standing = suspended(standing);
            if (what === 'publish' && before.state === 'waiting') seen.add(before.version);
          } catch {
            // Refused: then nothing has changed.
          }
          const { publicVersion } = standing;
          expect(publicVersion === null || seen.has(publicVersion)).toBe(true);
          if (shownState(standing) === 'published') expect(publicVersion).toBe(standing.version);
        }
      }),
    );
  });
});

describe('what an operator changed', () => {
  it('is for the PDAs of a domain, for one PDA, or for everybody', () => {
    const near = { cluster: 'near.example', pda: '' };
    expect(isFor(near, 'ada.near.example')).toBe(true);
    expect(isFor(near, 'ada.near.example:8080')).toBe(true);
    expect(isFor(near, 'ada.notnear.example')).toBe(false);
    expect(isFor(near, null)).toBe(false);
    expect(isFor({ cluster: '', pda: 'ada.near.example' }, 'ada.near.example')).toBe(true);
    expect(isFor({ cluster: 'far.example', pda: 'ada.near.example' }, 'ada.near.example')).toBe(false);
    const onPort = { cluster: 'near.example:8443', pda: '' };
    expect(
      [
        'ada.near.example:8443',
        'near.example:8443',
        'ada.near.example',
        'ada.near.example:8080',
        'adanear.example:8443',
      ].map((address) => isFor(onPort, address)),
    ).toStrictEqual([true, true, false, false, false]);
    expect(isFor({ cluster: '', pda: '' }, null)).toBe(true);
    const scopes = [{ cluster: '', pda: 'a.b' }, near, { cluster: '', pda: '' }];
    expect(scopes.toSorted(byWidth)).toEqual(scopes.toReversed());
  });

  it('leaves what it does not name, and what the application may do', () => {
    const before = application('it');
    expect(withProperties(before, properties)).toEqual({ ...before, kind: { ...before.kind, url: properties.url } });
    const after = withProperties(before, { ...properties, description: 'New', authUrl: '//evil.example/x' });
    expect(after.info.description).toEqual({ text: 'New' });
    expect(after.permissions).toEqual(before.permissions);
    // A path within `url`: it leads nowhere else.
    expect(after.setup.url).toBeUndefined();
  });
});
