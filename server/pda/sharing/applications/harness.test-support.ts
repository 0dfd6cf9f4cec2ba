import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApplicationInput } from '../../../../tests/support/applications.ts';
import type { Reply } from '../../../../tests/support/http.ts';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  applicationItemSchema,
  ownerApplicationSchema,
  type ApplicationItem,
  type OwnerApplication,
} from '../../../wire/applications.ts';
import { debitSchema, type Debit } from '../../../wire/debits.ts';

export const FITNESS_ROLES = [
  { role: 'namespaceread', detail: 'fitness' },
  { role: 'namespacewrite', detail: 'fitness' },
];

export const applicationUrl = (id: string, suffix = ''): string => `/api/v2.6/applications/${id}${suffix}`;

export type ApplicationTest = {
  readonly pda: TestPda;
  /** Replaces the list in config.json and restarts the PDA. */
  publish(...applications: readonly ApplicationInput[]): Promise<void>;
  get(path: string, token?: string | null): Promise<Reply>;
  item(path: string): Promise<ApplicationItem>;
  ownerView(id: string): Promise<OwnerApplication>;
  approve(id: string, json: unknown): Promise<Reply>;
  debit(key: string): Promise<Debit | undefined>;
  store(endpoint: string, json: unknown): Promise<Reply>;
};

export const startWithApplications = async (...applications: readonly ApplicationInput[]): Promise<ApplicationTest> => {
  const pda = await startTestPda({ config: { applications } });
  const get = (path: string, token?: string | null): Promise<Reply> =>
    pda.call('GET', path, token === undefined ? {} : { token });
  return {
    pda,
    get,
    async publish(...publishedApplications) {
      writeFileSync(join(pda.home, 'config.json'), JSON.stringify({ applications: publishedApplications }));
      await pda.restart();
    },
    item: async (path) => applicationItemSchema.parse((await get(path)).json),
    ownerView: async (id) => ownerApplicationSchema.parse((await get(`/api/v2.6/owner/applications/${id}`)).json),
    approve: (id, json) => pda.call('POST', `/api/v2.6/owner/applications/${id}/setup`, { json }),
    async debit(key) {
      const reply = await get(`/api/v2.6/data-debit/${key}`);
      return reply.status === 404 ? undefined : debitSchema.parse(reply.json);
    },
    store: (endpoint, json) => pda.call('POST', `/api/v2.6/data/${endpoint}`, { json }),
  };
};
