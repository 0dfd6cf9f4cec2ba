import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLink, pageOfLink, requestPage, sharingPage } from './system/deep-link-rules.ts';
import { dataFolderName, findStartObstacle } from './system/home-rules.ts';
import { buildAutostartEntry, resolveAutostartFolder } from './system/login-item-rules.ts';
import { decideAnnouncement, type RequestNotification } from './ui/notification-rules.ts';
import { aRequest, statusWith } from './ui/desktop-status.test-support.ts';
import { isShellPage, QUIT_LINK, buildStoppedPageUrl, START_LINK } from './ui/stopped-page.ts';

describe('a link', () => {
  it('opens the home page or the page of a request, even if its key begins like the name of another page', () => {
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

  it('opens only the home page or the page of a request', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const page = pageOfLink(`pda://request/${text}`);
        expect(page).toMatch(/^\/(?:requests\/[^?#\s<>"']+)?$/);
        expect(new URL(`http://127.0.0.1:1${page}`).pathname).toMatch(/^\/(?:requests\/.+)?$/);
      }),
    );
  });

  it('is found in the last pda: argument; options are ignored', () => {
    expect(findLink(['app', '--x', 'pda://open', 'pda://request/a'])).toBe('pda://request/a');
    expect(findLink(['app', '--pda://open'])).toBeUndefined();
  });
});

describe('the dashboard page of a request or a consent', () => {
  it('is percent-encoded, and has a prefix if its key begins like the name of another page', () => {
    expect(requestPage('a b')).toBe('/requests/a%20b');
    expect(requestPage('~/x')).toBe('/requests/~/~/x');
    const sharingPages = ['lunch', 'contracts/1', 'links', 'guests/2'].map(sharingPage);
    expect(sharingPages).toEqual([
      '/sharing/lunch',
      '/sharing/~/contracts/1',
      '/sharing/~/links',
      '/sharing/~/guests/2',
    ]);
  });
});

describe('decideAnnouncement', () => {
  const summarise = (notification: RequestNotification | null): unknown[] => [
    notification?.title,
    notification?.buttons,
    notification?.request?.key,
  ];

  it('announces each request once', () => {
    const status = statusWith(aRequest('lunch'));
    const announcement = decideAnnouncement(status, [], false, 'darwin');
    expect(summarise(announcement.notification)).toEqual(['“The lunch” asks for data', ['deny', 'approve'], 'lunch']);
    expect(decideAnnouncement(status, announcement.announcedIds, false, 'darwin')).toEqual({
      notification: null,
      announcedIds: announcement.announcedIds,
    });
  });

  it('offers to deny or view a request without a fingerprint, but not to approve it', () => {
    const { notification } = decideAnnouncement(statusWith(aRequest('all', { fingerprint: null })), [], false, 'win32');
    expect(notification?.buttons).toEqual(['deny', 'view']);
  });

  it('never returns approval as the first button, nor any buttons on Linux', () => {
    for (const platform of ['darwin', 'win32', 'linux'] as const) {
      for (const fingerprint of [null, 'A'.repeat(43)]) {
        const { notification } = decideAnnouncement(
          statusWith(aRequest('lunch', { fingerprint })),
          [],
          false,
          platform,
        );
        expect(notification?.buttons[0]).not.toBe('approve');
        if (platform === 'linux') expect(notification?.buttons).toEqual([]);
      }
    }
  });

  it('groups several requests, and a new request with one that is already shown', () => {
    const status = statusWith(aRequest('c'), aRequest('b'), aRequest('a'));
    const group = decideAnnouncement(status, [], false, 'darwin');
    expect(summarise(group.notification)).toEqual(['3 requests for your data', ['view'], undefined]);
    expect(group.notification?.body).toContain('“The c”, “The b”, “The a”');
    expect(group.announcedIds).toEqual(['p-a', 'p-b', 'p-c']);
    const previousStatus = { requests: status.requests.slice(1), requestsWaiting: 2 };
    const { announcedIds } = decideAnnouncement(previousStatus, [], false, 'darwin');
    expect(decideAnnouncement(status, announcedIds, true, 'darwin').notification?.title).toBe(
      '3 requests for your data',
    );
    expect(decideAnnouncement(status, announcedIds, false, 'darwin').notification?.request?.key).toBe('c');
  });

  it('isolates right-to-left names from the surrounding text', () => {
    const status = statusWith(aRequest('a', { requester: 'ארוחה' }), aRequest('b'));
    const { notification } = decideAnnouncement(status, [], false, 'linux');
    expect(notification?.body).toContain('From “\u2068ארוחה\u2069”, “The b”.');
  });

  it('remembers at most 500 requests', () => {
    const announcedIds = Array.from({ length: 500 }, (_, index) => `old-${index}`);
    expect(decideAnnouncement(statusWith(aRequest('new')), announcedIds, false, 'linux').announcedIds).toHaveLength(
      500,
    );
  });
});

describe('the autostart entry', () => {
  it('quotes every argument according to the specification', () => {
    expect(buildAutostartEntry(['/opt/My "PDA" $x/100%/a`b\\c', '--background'])).toContain(
      String.raw`Exec="/opt/My \\"PDA\\" \\$x/100%%/a\\` + '`' + String.raw`b\\\\c" "--background"`,
    );
  });

  it('rejects line breaks', () => {
    expect(() => buildAutostartEntry(['/a\nExec=evil'])).toThrow('control character');
  });

  it('is in the XDG autostart folder', () => {
    expect(resolveAutostartFolder({}, '/home/ada')).toBe('/home/ada/.config/autostart');
    expect(resolveAutostartFolder({ XDG_CONFIG_HOME: '/etc/xdg-ada' }, '/home/ada')).toBe('/etc/xdg-ada/autostart');
    expect(resolveAutostartFolder({ XDG_CONFIG_HOME: 'relative' }, '/home/ada')).toBe('/home/ada/.config/autostart');
  });
});

describe('the home', () => {
  it('has a separate data folder for its lock', () => {
    expect(dataFolderName('/a')).toMatch(/^home-[\da-f]{16}$/);
    expect(dataFolderName('/a')).not.toBe(dataFolderName('/b'));
  });

  it('prevents the start if it existed before and is missing now', () => {
    expect(findStartObstacle({ home: '/disk/pda', existedBefore: true, exists: false })).toContain('/disk/pda');
    expect(findStartObstacle({ home: '/disk/pda', existedBefore: false, exists: false })).toBeNull();
    expect(findStartObstacle({ home: '/disk/pda', existedBefore: true, exists: true })).toBeNull();
  });
});

describe('the page for a stopped server', () => {
  const htmlOf = (reason: string): string => {
    const page = buildStoppedPageUrl({ kind: 'failed', reason, lastLines: ['<img src=x>', 'last'] });
    expect(isShellPage(page)).toBe(true);
    return Buffer.from(page.split(',')[1] ?? '', 'base64').toString();
  };

  it('has no scripts or external resources and escapes the reason and the log', () => {
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
    expect(html).toContain(`href="${START_LINK}"`);
    expect(html).toContain(`href="${QUIT_LINK}"`);
    expect(html).toContain('last');
  });
});
