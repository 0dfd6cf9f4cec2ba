import type { Pda } from './pda.ts';

interface ApplicationFields {
  id: string;
  name: string;
  version?: string;
  roles?: { role: string; detail?: string }[];
  data?: unknown;
}

function createApplication({ id, name, version = '1.0.0', roles = [], data }: ApplicationFields) {
  return {
    id,
    kind: { kind: 'App', url: `https://${id}.example/` },
    info: {
      version,
      published: true,
      name,
      headline: `${name} looks at your days`,
      description: { text: `${name} puts your days side by side.` },
      graphics: { logo: { normal: '' }, screenshots: [] },
      termsUrl: `https://${id}.example/terms`,
      dataUsePurpose: 'To draw your week',
    },
    developer: { id: 'makers', name: 'The Makers', url: 'https://makers.example/' },
    permissions: { rolesGranted: roles, ...(data === undefined ? {} : { dataRetrieved: data }) },
    setup: { kind: 'External', url: `https://${id}.example/signin` },
    status: { kind: 'Internal', compatibility: '1.0.0' },
  };
}

const stepsData = (name: string, mapping: Record<string, string>) => ({
  name,
  bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping }] } },
});

/** Reads fitness, writes acme, and requests two fields of the steps as a Data Debit. */
export const acme = createApplication({
  id: 'acme',
  name: 'Acme Steps',
  roles: [
    { role: 'namespaceread', detail: 'fitness' },
    { role: 'namespacewrite', detail: 'acme' },
  ],
  data: stepsData('acme-steps', { date: 'date', count: 'count' }),
});

/** Also requests the namespace `health` and the field `place` of the steps, but no longer the right to write. */
export const acmeNext = createApplication({
  id: 'acme',
  name: 'Acme Steps',
  version: '1.1.0',
  roles: [
    { role: 'namespaceread', detail: 'fitness' },
    { role: 'namespaceread', detail: 'health' },
  ],
  data: stepsData('acme-steps-next', { date: 'date', count: 'count', place: 'place' }),
});

export const hello = createApplication({ id: 'hello', name: 'Hello' });

export const steps = [
  { date: '2026-03-01', count: 4211, place: 'Leeds' },
  { date: '2026-03-02', count: 8044, place: 'York' },
  { date: '2026-03-03', count: 6120, place: 'Leeds' },
];

export async function setUpApplication(pda: Pda, id: string): Promise<void> {
  await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
}

/** Signs an application in. @returns its token */
export async function signInApplication(pda: Pda, id: string): Promise<string> {
  const { accessToken } = (await pda.call('GET', `/api/v2.6/applications/${id}/access-token`)) as {
    accessToken: string;
  };
  return accessToken;
}

/** Sends a request with the token of an application, or anonymously if the token is empty. */
export async function callAs(pda: Pda, token: string, path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(pda.url + path, { headers: token === '' ? {} : { 'x-auth-token': token } });
  return { status: response.status, body: await response.json() };
}
