import type { Page, Route } from '@playwright/test';
import type { Exposure, ExposureState, PdaCertificate, Probe } from '../../server/wire/exposure.ts';
import type { Pda } from './pda.ts';

/**
 * Responses of the exposure API for states that are hard to produce, such as a lying relay or an expired certificate.
 */

export const ADDRESS = 'https://ada.pda.example';

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const ahead = (minutes: number): string => ago(-minutes);

export const GOOD: PdaCertificate = {
  state: 'good',
  issuer: "Let's Encrypt",
  notBefore: ago(60 * 24 * 20),
  notAfter: ahead(60 * 24 * 70),
  problem: null,
  nextTry: null,
};

export const REACHED: Probe = { at: ago(3), reached: true, ms: 184, problem: null, localAccess: false };

export const missed = (problem: string): Probe => ({ at: ago(1), reached: false, ms: 43, problem, localAccess: false });

const NOTHING_OPEN = {
  publicFiles: 0,
  publicBytes: 0,
  sharedFiles: 0,
  people: 0,
  sessions: 0,
  applications: 0,
  debits: 0,
  contracts: 0,
  profile: 0,
};

const MUCH_OPEN = {
  publicFiles: 3,
  publicBytes: 18_400_000,
  sharedFiles: 12,
  people: 2,
  sessions: 1,
  applications: 4,
  debits: 5,
  contracts: 1,
  profile: 4,
};

const OFF: Exposure = {
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
  termsWait: false,
  open: NOTHING_OPEN,
};

/** Responses for a PDA without an address or with a name at a relay. */
export function exposureOf(state: ExposureState, overrides: Partial<Exposure> = {}): Exposure {
  if (state === 'off') return { ...OFF, ...overrides };
  return {
    ...OFF,
    way: 'tunnel',
    address: ADDRESS,
    relay: 'https://pda.example',
    domain: 'pda.example',
    state,
    since: ago(125),
    visitors: state === 'reachable' ? 2 : 0,
    certificate: GOOD,
    probe: REACHED,
    open: MUCH_OPEN,
    ...overrides,
  };
}

export const DARK: Partial<Exposure> = {
  dark: true,
  darkSince: ago(2),
  probe: missed('the connection was refused'),
};

interface ExposureRoute {
  now: Exposure;
  /** Requests of the page, such as `PUT {…}`. */
  requests: string[];
  /** State after each call. Calls that are not listed change nothing. */
  on: Partial<Record<string, (route: Route) => Promise<void> | undefined>>;
}

/** Responds to each exposure request with the current state `now`. */
export async function mockExposure(page: Page, now: Exposure, on: ExposureRoute['on'] = {}): Promise<ExposureRoute> {
  const answering: ExposureRoute = { now, requests: [], on };
  const respond = async (route: Route): Promise<void> => {
    const request = route.request();
    const last = new URL(request.url()).pathname.split('/').at(-1) ?? '';
    const method = request.method();
    if (method !== 'GET') answering.requests.push(`${method} ${request.postData() ?? last}`);
    const handled = answering.on[method === 'GET' ? 'GET' : method === 'PUT' ? 'PUT' : last]?.(route);
    await (handled ?? route.fulfill({ json: answering.now }));
  };
  for (const region of ['exposure', 'exposure/probe', 'go-dark', 'go-light']) {
    await page.route(`**/api/v2.6/owner/${region}`, respond);
  }
  return answering;
}

/** Changes the state and notifies the pages, which fetch it again without a reload. */
export async function publishExposure(pda: Pda, answering: ExposureRoute, now: Exposure): Promise<void> {
  answering.now = now;
  // For a PDA without an address, this event changes nothing else.
  await pda.call('POST', '/api/v2.6/owner/go-dark');
}
