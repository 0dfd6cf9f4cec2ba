import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkIn, pageOfLink, requestPage } from './system/deep-link-rules.ts';
import { ownFolderName, startObstacle } from './system/home-rules.ts';
import { autostartEntry, autostartFolder } from './system/login-item-rules.ts';
import { announceRequests, type Note } from './ui/notification-rules.ts';
import { aRequest, standWith } from './ui/desktop-status.test-support.ts';
import { isShellPage, QUIT, stoppedPage, TRY_AGAIN } from './ui/stopped-page-rules.ts';

describe('a link', () => {
  it('opens the preview of a request, even if its key equals a page name', () => {
    expect(pageOfLink('pda://request/lunch')).toBe('/requests/lunch');
    expect(pageOfLink('PDA://request/team/l%C3%BCnch')).toBe('/requests/team/l%C3%BCnch');
    expect(pageOfLink('pda://request/offers/1')).toBe('/requests/~/offers/1');
    expect(pageOfLink('pda://open')).toBe('/');
  });

  it.each([
    'pda://request/',
    'pda://request/../settings',
    'pda://request/a//b',
    'pda://request/a/%2e%2e/b',
    'pda://request/%2Fsettings',
    'pda://request/a?approve=1',
    'pda://request/a#/settings',
    'pda://request/%',
    'pda://request/a%00b',
    'pda://request/<script>',
    'pda://approve/lunch',
    'pda:request/lunch',
    'pda://x@request/lunch',
    'pda://request:1/lunch',
    `pda://request/${'a'.repeat(300)}`,
    `pda://request/${'a'.repeat(3_000)}`,
    'https://example.org/',
    'javascript:alert(1)',
    '',
  ])('opens the home page if it is invalid: %s', (link) => {
    expect(pageOfLink(link)).toBe('/');
  });

  it('never opens a page outside of the requests', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const page = pageOfLink(`pda://request/${text}`);
        expect(page).toMatch(/^\/(?:requests\/[^?#\s<>"']+)?$/);
        expect(new URL(`http://127.0.0.1:1${page}`).pathname).toMatch(/^\/(?:requests\/.+)?$/);
      }),
    );
  });

  it('is the last pda: argument; options are ignored', () => {
    expect(linkIn(['app', '--x', 'pda://open', 'pda://request/a'])).toBe('pda://request/a');
    expect(linkIn(['app', '--pda://open'])).toBeUndefined();
  });

  it('matches the dashboard route of a request', () => {
    expect(requestPage('a b')).toBe('/requests/a%20b');
    expect(requestPage('~/x')).toBe('/requests/~/~/x');
  });
});

describe('a notification', () => {
  const announced = (note: Note | null): unknown[] => [note?.title, note?.buttons, note?.about?.key];

  it('announces each request once', () => {
    const status = standWith(aRequest('lunch'));
    const first = announceRequests(status, [], false, 'darwin');
    expect(announced(first.note)).toEqual(['“The lunch” asks for data', ['deny', 'approve'], 'lunch']);
    expect(announceRequests(status, first.announced, false, 'darwin')).toEqual({
      note: null,
      announced: first.announced,
    });
  });

  it('offers approval only with a fingerprint, and always denial', () => {
    const { note } = announceRequests(standWith(aRequest('all', { fingerprint: null })), [], false, 'win32');
    expect(note?.buttons).toEqual(['deny', 'look']);
  });

  it('never has approval as its first button, and no buttons on Linux', () => {
    for (const platform of ['darwin', 'win32', 'linux'] as const) {
      for (const fingerprint of [null, 'A'.repeat(43)]) {
        const { note } = announceRequests(standWith(aRequest('lunch', { fingerprint })), [], false, platform);
        expect(note?.buttons[0]).not.toBe('approve');
        if (platform === 'linux') expect(note?.buttons).toEqual([]);
      }
    }
  });

  it('groups several requests, and a new one with a shown one', () => {
    const status = standWith(aRequest('c'), aRequest('b'), aRequest('a'));
    const many = announceRequests(status, [], false, 'darwin');
    expect(announced(many.note)).toEqual(['3 requests for your data', ['look'], undefined]);
    expect(many.note?.body).toContain('“The c”, “The b”, “The a”');
    expect(many.announced).toEqual(['p-a', 'p-b', 'p-c']);
    const before = { requests: status.requests.slice(1), requestsWaiting: 2 };
    const announcedIds = announceRequests(before, [], false, 'darwin').announced;
    expect(announceRequests(status, announcedIds, true, 'darwin').note?.title).toBe('3 requests for your data');
    expect(announceRequests(status, announcedIds, false, 'darwin').note?.about?.key).toBe('c');
  });

  it('isolates right-to-left names from the surrounding text', () => {
    const status = standWith(aRequest('a', { asker: 'ארוחה' }), aRequest('b'));
    const { note } = announceRequests(status, [], false, 'linux');
    expect(note?.body).toContain('From “\u2068ארוחה\u2069”, “The b”.');
  });

  it('remembers a limited number of requests', () => {
    const old = Array.from({ length: 500 }, (_, index) => `old-${index}`);
    expect(announceRequests(standWith(aRequest('new')), old, false, 'linux').announced).toHaveLength(500);
  });
});

describe('the autostart entry', () => {
  it('quotes every argument according to the specification', () => {
    expect(autostartEntry(['/opt/My "PDA" $x/100%/a`b\\c', '--background'])).toContain(
      String.raw`Exec="/opt/My \\"PDA\\" \\$x/100%%/a\\` + '`' + String.raw`b\\\\c" "--background"`,
    );
  });

  it('rejects line breaks', () => {
    expect(() => autostartEntry(['/a\nExec=evil'])).toThrow('control character');
  });

  it('is in the XDG autostart folder', () => {
    expect(autostartFolder({}, '/home/ada')).toBe('/home/ada/.config/autostart');
    expect(autostartFolder({ XDG_CONFIG_HOME: '/etc/xdg-ada' }, '/home/ada')).toBe('/etc/xdg-ada/autostart');
    expect(autostartFolder({ XDG_CONFIG_HOME: 'relative' }, '/home/ada')).toBe('/home/ada/.config/autostart');
  });
});

describe('a home', () => {
  it('has a separate lock folder', () => {
    expect(ownFolderName('/a')).toMatch(/^home-[\da-f]{16}$/);
    expect(ownFolderName('/a')).not.toBe(ownFolderName('/b'));
  });

  it('does not recreate a folder that was deleted', () => {
    expect(startObstacle({ home: '/disk/pda', wasThere: true, isThere: false })).toContain('/disk/pda');
    expect(startObstacle({ home: '/disk/pda', wasThere: false, isThere: false })).toBeNull();
    expect(startObstacle({ home: '/disk/pda', wasThere: true, isThere: true })).toBeNull();
  });
});

describe('the page for a stopped server', () => {
  const htmlOf = (reason: string): string => {
    const page = stoppedPage({ kind: 'failed', reason, lastLines: ['<img src=x>', 'last'] });
    expect(isShellPage(page)).toBe(true);
    return Buffer.from(page.split(',')[1] ?? '', 'base64').toString();
  };

  it('has no scripts or external resources and escapes the log', () => {
    const html = htmlOf('</style><script>alert(1)</script>');
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;script&gt;');
    expect(html).toMatch(/default-src 'none'; style-src 'sha256-[^']+'/);
    expect(html).not.toMatch(/(?:src|href)="https?:/);
  });

  it('supports both themes and has links to retry and quit', () => {
    const html = htmlOf('x');
    expect(html).toContain('prefers-color-scheme: dark');
    expect(html).toContain(`href="${TRY_AGAIN}"`);
    expect(html).toContain(`href="${QUIT}"`);
    expect(html).toContain('last');
  });
});
