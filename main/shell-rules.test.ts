import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkIn, pageOfLink, requestPage } from './system/deep-link-rules.ts';
import { ownFolderName, whyNotStart } from './system/home-rules.ts';
import { autostartEntry, autostartFolder } from './system/login-item-rules.ts';
import { tellRequests, type Note } from './ui/notification-rules.ts';
import { aRequest, standWith } from './ui/desktop-status.test-support.ts';
import { isShellPage, QUIT, standstillPage, TRY_AGAIN } from './ui/stopped-page-rules.ts';

describe('a link', () => {
  it('opens the preview of a request, also where a page has its name', () => {
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
  ])('that is odd opens the home page: %s', (link) => {
    expect(pageOfLink(link)).toBe('/');
  });

  it('never leads out of the requests, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const page = pageOfLink(`pda://request/${text}`);
        expect(page).toMatch(/^\/(?:requests\/[^?#\s<>"']+)?$/);
        expect(new URL(`http://127.0.0.1:1${page}`).pathname).toMatch(/^\/(?:requests\/.+)?$/);
      }),
    );
  });

  it('is the last argument of its kind, and no option is taken for one', () => {
    expect(linkIn(['app', '--x', 'pda://open', 'pda://request/a'])).toBe('pda://request/a');
    expect(linkIn(['app', '--pda://open'])).toBeUndefined();
  });

  it('of a request leads where the dashboard has it', () => {
    expect(requestPage('a b')).toBe('/requests/a%20b');
    expect(requestPage('~/x')).toBe('/requests/~/~/x');
  });
});

describe('a notification', () => {
  const told = (note: Note | null): unknown[] => [note?.title, note?.buttons, note?.about?.key];

  it('tells each request once', () => {
    const stand = standWith(aRequest('lunch'));
    const first = tellRequests(stand, [], false, 'darwin');
    expect(told(first.note)).toEqual(['“The lunch” asks for data', ['deny', 'approve'], 'lunch']);
    expect(tellRequests(stand, first.told, false, 'darwin')).toEqual({ note: null, told: first.told });
  });

  it('can be approved only when it showed all, and denied in any case', () => {
    const { note } = tellRequests(standWith(aRequest('all', { fingerprint: null })), [], false, 'win32');
    expect(note?.buttons).toEqual(['deny', 'look']);
  });

  it('never has approving as its first button, and none where a press is not heard', () => {
    for (const platform of ['darwin', 'win32', 'linux'] as const) {
      for (const fingerprint of [null, 'A'.repeat(43)]) {
        const { note } = tellRequests(standWith(aRequest('lunch', { fingerprint })), [], false, platform);
        expect(note?.buttons[0]).not.toBe('approve');
        if (platform === 'linux') expect(note?.buttons).toEqual([]);
      }
    }
  });

  it('is one for many, and one more while another stands makes it many', () => {
    const stand = standWith(aRequest('c'), aRequest('b'), aRequest('a'));
    const many = tellRequests(stand, [], false, 'darwin');
    expect(told(many.note)).toEqual(['3 requests for your data', ['look'], undefined]);
    expect(many.note?.body).toContain('“The c”, “The b”, “The a”');
    expect(many.told).toEqual(['p-a', 'p-b', 'p-c']);
    const before = { requests: stand.requests.slice(1), requestsWaiting: 2 };
    const known = tellRequests(before, [], false, 'darwin').told;
    expect(tellRequests(stand, known, true, 'darwin').note?.title).toBe('3 requests for your data');
    expect(tellRequests(stand, known, false, 'darwin').note?.about?.key).toBe('c');
  });

  it('isolates right-to-left names from its own words', () => {
    const stand = standWith(aRequest('a', { asker: 'ארוחה' }), aRequest('b'));
    const { note } = tellRequests(stand, [], false, 'linux');
    expect(note?.body).toContain('From “\u2068ארוחה\u2069”, “The b”.');
  });

  it('remembers a limited number', () => {
    const old = Array.from({ length: 500 }, (_, at) => `old-${at}`);
    expect(tellRequests(standWith(aRequest('new')), old, false, 'linux').told).toHaveLength(500);
  });
});

describe('the autostart entry', () => {
  it('quotes every argument as the specification says', () => {
    expect(autostartEntry(['/opt/My "PDA" $x/100%/a`b\\c', '--background'])).toContain(
      String.raw`Exec="/opt/My \\"PDA\\" \\$x/100%%/a\\` + '`' + String.raw`b\\\\c" "--background"`,
    );
  });

  it('cannot be given a second line', () => {
    expect(() => autostartEntry(['/a\nExec=evil'])).toThrow('control sign');
  });

  it('lies where the desktop looks', () => {
    expect(autostartFolder({}, '/home/ada')).toBe('/home/ada/.config/autostart');
    expect(autostartFolder({ XDG_CONFIG_HOME: '/etc/xdg-ada' }, '/home/ada')).toBe('/etc/xdg-ada/autostart');
    expect(autostartFolder({ XDG_CONFIG_HOME: 'relative' }, '/home/ada')).toBe('/home/ada/.config/autostart');
  });
});

describe('a home', () => {
  it('has a separate folder for the lock, whatever it is called', () => {
    expect(ownFolderName('/a')).toMatch(/^home-[\da-f]{16}$/);
    expect(ownFolderName('/a')).not.toBe(ownFolderName('/b'));
  });

  it('does not recreate a folder that was deleted', () => {
    expect(whyNotStart({ home: '/disk/pda', wasThere: true, isThere: false })).toContain('/disk/pda');
    expect(whyNotStart({ home: '/disk/pda', wasThere: false, isThere: false })).toBeNull();
    expect(whyNotStart({ home: '/disk/pda', wasThere: true, isThere: true })).toBeNull();
  });
});

describe('the page for a server that does not run', () => {
  const htmlOf = (reason: string): string => {
    const page = standstillPage({ kind: 'failed', reason, lastLines: ['<img src=x>', 'last'] });
    expect(isShellPage(page)).toBe(true);
    return Buffer.from(page.split(',')[1] ?? '', 'base64').toString();
  };

  it('has no script, loads nothing, and shows whatever was said as words', () => {
    const html = htmlOf('</style><script>alert(1)</script>');
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;script&gt;');
    expect(html).toMatch(/default-src 'none'; style-src 'sha256-[^']+'/);
    expect(html).not.toMatch(/(?:src|href)="https?:/);
  });

  it('has both papers, and the two ways on', () => {
    const html = htmlOf('x');
    expect(html).toContain('prefers-color-scheme: dark');
    expect(html).toContain(`href="${TRY_AGAIN}"`);
    expect(html).toContain(`href="${QUIT}"`);
    expect(html).toContain('last');
  });
});
