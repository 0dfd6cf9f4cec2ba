import { expect, notice, test } from './pda.ts';
import { anApplication } from '../support/applications.ts';

// The program of an organisation requests data, and the owner decides in the dashboard. The program uses only the
// public interface.

const KEY = 'acme/steps-2026';
const BUNDLE = {
  name: 'acme-steps',
  bundle: {
    steps: {
      endpoints: [
        {
          endpoint: 'fitness/steps',
          mapping: { day: 'day', steps: 'steps' },
          filters: [{ field: 'steps', operator: { operator: 'between', lower: 1000, upper: 20_000 } }],
        },
      ],
      limit: 50,
    },
  },
};
const PROPOSAL = {
  dataDebitKey: KEY,
  bundle: BUNDLE,
  start: '2026-01-01T00:00:00.000Z',
  period: 3 * 365 * 86_400,
  purpose: 'To work out how far the people of a town walk.',
  cancelAtPeriodEnd: true,
  termsUrl: 'https://acme.example/terms',
  requestClientName: 'Acme Walks',
  requestClientUrl: 'https://acme.example',
  requestClientLogoUrl: 'https://acme.example/logo.png',
};

type Reply = { status: number; text: string; body: Record<string, unknown> };

class Organisation {
  readonly url: string;
  readonly token: string;
  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }
  async call(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await fetch(`${this.url}/api/v2.6${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-auth-token': this.token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) as Record<string, unknown> };
  }
  readValues(): Promise<Reply> {
    return this.call('GET', `/data-debit/${KEY}/values`);
  }
}

test.use({
  config: { applications: [anApplication({ id: 'acme', roles: [{ role: 'datadebit' }] })] },
});

test('an organisation requests data, receives exactly what was allowed, and loses access when sharing stops', async ({
  page,
  pda,
}) => {
  const days = Array.from({ length: 80 }, (_, day) => ({
    day: `2026-03-${String((day % 28) + 1).padStart(2, '0')}`,
    steps: day * 300,
    heart: 60 + (day % 40),
    place: { lat: 51.05, lon: 13.74 },
  }));
  await pda.store('fitness/steps', days);
  await pda.store('diary/entries', [{ text: 'private to the owner' }]);
  await pda.call('GET', '/api/v2.6/applications/acme/setup');
  const { accessToken } = (await pda.call('GET', '/api/v2.6/applications/acme/access-token')) as {
    accessToken: string;
  };
  const acme = new Organisation(pda.url, accessToken);

  // The program has no direct access to the data.
  expect((await acme.call('GET', '/data/fitness/steps')).status).toBe(403);
  await pda.enter(page, '/requests');
  const proposalReply = await acme.call('POST', `/data-debit/${KEY}`, PROPOSAL);
  expect([proposalReply.status, proposalReply.body.active, proposalReply.body.accepted]).toEqual([201, false, false]);
  const earlyReply = await acme.readValues();
  expect(earlyReply.status).toBe(400);
  expect(earlyReply.body).toMatchObject({ message: 'Bad Request', cause: `Data Debit ${KEY} not enabled` });
  expect((await acme.call('GET', `/data-debit/${KEY}/enable`)).status).toBe(403);

  // The request appears automatically.
  await page
    .getByRole('link', { name: /Acme Walks/u })
    .first()
    .click();
  await expect(page.getByText('To work out how far the people of a town walk.')).toBeVisible();
  await expect(page.getByText('not enabled')).toHaveCount(0);
  const preview = await pda.fetchText('GET', `/api/v2.6/data-debit/${KEY}/preview`);
  await page.getByRole('button', { name: /^Allow 2 fields/u }).click();
  await expect(notice(page, 'Acme Walks can see what you allowed')).toBeVisible();

  const firstReply = await acme.readValues();
  expect(firstReply.status).toBe(200);
  expect(firstReply.text).toBe(preview);
  const expected = days.filter(({ steps }) => steps > 1000 && steps < 20_000).slice(0, 50);
  const sharedData = (firstReply.body.bundle as { steps: { data: unknown }[] }).steps.map(({ data }) => data);
  expect(sharedData).toEqual(expected.map(({ day, steps }) => ({ day, steps })));

  await page.goto(`${pda.url}/#/sharing/${KEY}`);
  await page.getByRole('button', { name: 'Stop sharing' }).first().click();
  await expect(page.getByText(`Data Debit ${KEY} not enabled`)).toBeVisible();
  const lateReply = await acme.readValues();
  expect([lateReply.status, lateReply.body.cause]).toEqual([400, `Data Debit ${KEY} not enabled`]);

  // The access history lists the read.
  await page.goto(`${pda.url}/#/history?debit=${encodeURIComponent(KEY)}`);
  await expect(page.getByText('50 records').first()).toBeVisible();
});
