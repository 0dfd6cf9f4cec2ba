import { anApplication } from '../support/applications.ts';
import { setUpApplication, signInApplication } from './applications.ts';
import type { Pda } from './pda.ts';

// Provides an application that requests Data Debits, and the records that it requests.

export const DAY_S = 86_400;

/** Configuration with an application that may only propose Data Debits. */
export const acmeConfig = {
  applications: [anApplication({ id: 'acme', roles: [{ role: 'datadebit' }], info: { name: 'Acme Health' } })],
};

const activityRecords = [
  { date: '2026-01-01', steps: 4000, pulse: { resting: 61, max: 150 }, device: 'Band 4' },
  { date: '2026-01-02', steps: 9000, pulse: { resting: 59, max: 161 }, device: 'Band 4' },
  { date: '2026-01-03', steps: 12_000, pulse: { resting: 60, max: 170 }, device: 'Band 4' },
];
const sleepRecords = [
  { night: '2026-01-01', minutes: 430, notes: 'private' },
  { night: '2026-01-02', minutes: 400, notes: 'private too' },
];

/** Stores records in two requested endpoints and in an unrequested one. */
export async function storeSampleRecords(pda: Pda): Promise<void> {
  await pda.store('fitness/activity', activityRecords);
  await pda.store('fitness/sleep', sleepRecords);
  await pda.store('diary/pages', { text: 'not requested' });
}

const mapping = { day: 'data.date', steps: 'data.steps', resting: 'data.pulse.resting' };

/** Requests three fields of the days with more than 5,000 and fewer than 100,000 steps, and entire nights. */
export const requestedBundle = {
  days: {
    endpoints: [
      {
        endpoint: 'fitness/activity',
        mapping,
        filters: [{ field: 'data.steps', operator: { operator: 'between', lower: 5000, upper: 100_000 } }],
      },
    ],
    orderBy: 'day',
  },
  nights: { endpoints: [{ endpoint: 'fitness/sleep' }] },
};

export const twoFieldsBundle = {
  days: { endpoints: [{ endpoint: 'fitness/activity', mapping: { day: 'data.date', steps: 'data.steps' } }] },
};

export function createProposal(key: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    dataDebitKey: key,
    bundle: { name: `${key.replaceAll('/', '-')}-data`, bundle: requestedBundle },
    start: new Date(Date.now() - 60_000).toISOString(),
    period: 30 * DAY_S,
    purpose: 'Shows how your days and your nights go together.',
    cancelAtPeriodEnd: true,
    termsUrl: 'https://acme.example/terms',
    requestClientName: 'Acme Health',
    requestClientUrl: 'https://acme.example/',
    requestClientLogoUrl: 'https://acme.example/logo.png',
    ...overrides,
  };
}

interface ApplicationResponse {
  status: number;
  body: unknown;
}

/** The application `acme`, which sends requests with its own token. */
export class Acme {
  private readonly pda: Pda;
  private readonly token: string;

  constructor(pda: Pda, token: string) {
    this.pda = pda;
    this.token = token;
  }

  static async signIn(pda: Pda): Promise<Acme> {
    await setUpApplication(pda, 'acme');
    return new Acme(pda, await signInApplication(pda, 'acme'));
  }

  async call(method: string, path: string, body?: unknown): Promise<ApplicationResponse> {
    const response = await fetch(this.pda.url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-auth-token': this.token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  }

  async request(key: string, overrides: Record<string, unknown> = {}): Promise<void> {
    const reply = await this.call('POST', `/api/v2.6/data-debit/${key}`, createProposal(key, overrides));
    if (reply.status !== 201) throw new Error(JSON.stringify(reply));
  }

  async requestChange(key: string, overrides: Record<string, unknown> = {}): Promise<void> {
    const reply = await this.call('PUT', `/api/v2.6/data-debit/${key}`, createProposal(key, overrides));
    if (reply.status !== 200) throw new Error(JSON.stringify(reply));
  }

  readValues(key: string): Promise<ApplicationResponse> {
    return this.call('GET', `/api/v2.6/data-debit/${key}/values`);
  }

  /** Returns the data of the records that the application receives, by property of the bundle. */
  async readData(key: string): Promise<Record<string, unknown[]>> {
    const { status, body } = await this.readValues(key);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    const { bundle } = body as { bundle: Record<string, { data: unknown }[]> };
    return Object.fromEntries(Object.entries(bundle).map(([name, records]) => [name, records.map(({ data }) => data)]));
  }
}
