import type { Page, Route } from '@playwright/test';
import type { Exposure, ExposureState, PdaCertificate, Probe } from '../../server/wire/exposure.ts';
import type { Pda } from './pda.ts';

// Responses of the exposure API for states that are hard to produce, such as a dishonest relay or an expired
// certificate.

export const ADDRESS = 'https://ada.pda.example';

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const minutesFromNow = (minutes: number): string => minutesAgo(-minutes);

export const VALID_CERTIFICATE: PdaCertificate = {
  state: 'good',
  issuer: "Let's Encrypt",
  notBefore: minutesAgo(60 * 24 * 20),
  notAfter: minutesFromNow(60 * 24 * 70),
  problem: null,
  nextTry: null,
};

const REACHED_PROBE: Probe = { at: minutesAgo(3), reached: true, ms: 184, problem: null, localAccess: false };

export const failedProbe = (problem: string): Probe => ({
  at: minutesAgo(1),
  reached: false,
  ms: 43,
  problem,
  localAccess: false,
});

const NO_OPEN_ITEMS = {
  publicFiles: 0,
  publicBytes: 0,
  shareLinks: 0,
  sharedFiles: 0,
  sharedViews: 0,
  people: 0,
  sessions: 0,
  applications: 0,
  debits: 0,
  contracts: 0,
  profile: 0,
};

const SAMPLE_OPEN_ITEMS = {
  publicFiles: 3,
  publicBytes: 18_400_000,
  shareLinks: 6,
  sharedFiles: 12,
  sharedViews: 2,
  people: 2,
  sessions: 1,
  applications: 4,
  debits: 5,
  contracts: 1,
  profile: 4,
};

const OFF_EXPOSURE: Exposure = {
  way: 'none',
  fixed: false,
  address: null,
  relay: null,
  domain: null,
  name: 'ada',
  publicUrl: null,
  localtunnel: null,
  publicListener: null,
  dark: false,
  darkSince: null,
  state: 'off',
  since: null,
  problem: null,
  nextTry: null,
  tries: 0,
  visitors: 0,
  certificate: null,
  probe: null,
  terms: 'https://authority.example/terms.pdf',
  termsPending: false,
  open: NO_OPEN_ITEMS,
};

/** Returns the exposure of a PDA without an address, or with a name at a relay. */
export function exposureOf(state: ExposureState, overrides: Partial<Exposure> = {}): Exposure {
  if (state === 'off') return { ...OFF_EXPOSURE, ...overrides };
  return {
    ...OFF_EXPOSURE,
    way: 'tunnel',
    address: ADDRESS,
    relay: 'https://pda.example',
    domain: 'pda.example',
    state,
    since: minutesAgo(125),
    visitors: state === 'reachable' ? 2 : 0,
    certificate: VALID_CERTIFICATE,
    probe: REACHED_PROBE,
    open: SAMPLE_OPEN_ITEMS,
    ...overrides,
  };
}

export const DARK_EXPOSURE: Partial<Exposure> = {
  dark: true,
  darkSince: minutesAgo(2),
  probe: failedProbe('the connection was refused'),
};

interface ExposureMock {
  current: Exposure;
  /** Requests of the page, such as `PUT {…}`. */
  requests: string[];
  /** Handlers by request, which respond or change `current`. Other requests get `current`. */
  on: Partial<Record<string, (route: Route) => Promise<void> | undefined>>;
}

/** Responds to exposure requests with their handlers, or with the current exposure. */
export async function mockExposure(page: Page, current: Exposure, on: ExposureMock['on'] = {}): Promise<ExposureMock> {
  const mock: ExposureMock = { current, requests: [], on };
  const respond = async (route: Route): Promise<void> => {
    const request = route.request();
    const lastSegment = new URL(request.url()).pathname.split('/').at(-1) ?? '';
    const method = request.method();
    if (method !== 'GET') mock.requests.push(`${method} ${request.postData() ?? lastSegment}`);
    const handlerResult = mock.on[method === 'GET' ? 'GET' : method === 'PUT' ? 'PUT' : lastSegment]?.(route);
    await (handlerResult ?? route.fulfill({ json: mock.current }));
  };
  for (const path of ['exposure', 'exposure/probe', 'go-dark', 'go-light']) {
    await page.route(`**/api/v2.6/owner/${path}`, respond);
  }
  return mock;
}

/** Changes the exposure and notifies the pages, which fetch it again without a reload. */
export async function publishExposure(pda: Pda, mock: ExposureMock, current: Exposure): Promise<void> {
  mock.current = current;
  // On a PDA without an address, this request has no other effect.
  await pda.call('POST', '/api/v2.6/owner/go-dark');
}
