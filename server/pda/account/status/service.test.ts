import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeFile } from '../../../../tests/support/files.ts';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import type { StatusEntry } from './service.ts';

const FILES_LIMIT_BYTES = 1_000_000;

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ config: { limits: { filesBytes: FILES_LIMIT_BYTES } } });
});
afterAll(() => pda.close());

it('the status lists its figures in a fixed order, with limit, usage and share of the file storage', async () => {
  await storeFile(pda, 'half.bin', 'x'.repeat(FILES_LIMIT_BYTES / 2));
  const entries = (await pda.call('GET', '/api/v2.6/system/status')).json as StatusEntry[];
  expect(entries.map(({ title }) => title)).toEqual([
    'Previous Login',
    'Database Storage',
    'File Storage',
    'Database Storage Used',
    'File Storage Used',
    'Database Storage Used Share',
    'File Storage Used Share',
    'Record Storage Limit',
    'Record Storage Used',
    'Record Storage Limit per Application',
  ]);
  const figures = new Map(entries.map(({ title, kind }) => [title, kind]));
  expect(figures.get('File Storage')).toEqual({ kind: 'Numeric', metric: FILES_LIMIT_BYTES, units: 'B' });
  expect(figures.get('File Storage Used')).toEqual({ kind: 'Numeric', metric: FILES_LIMIT_BYTES / 2, units: 'B' });
  expect(figures.get('File Storage Used Share')).toEqual({ kind: 'Numeric', metric: 50, units: '%' });
});

it('the status reports the sign-in before the requesting session, even if there are later sign-ins', async () => {
  const HOUR_MS = 3_600_000;
  const previousOf = async (token: string): Promise<string | number | undefined> => {
    const entries = (await pda.call('GET', '/api/v2.6/system/status', { token })).json as StatusEntry[];
    return entries.find(({ title }) => title === 'Previous Login')?.kind.metric;
  };
  pda.clock.advance(5 * HOUR_MS);
  const secondToken = await pda.signIn();
  pda.clock.advance(2 * HOUR_MS);
  const thirdToken = await pda.signIn();
  expect(await previousOf(secondToken)).toBe('7 hours ago');
  expect(await previousOf(thirdToken)).toBe('2 hours ago');
  // A session that has ended still counts as a sign-in.
  await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current', { token: thirdToken });
  expect(await previousOf(thirdToken)).toBe('2 hours ago');
});
