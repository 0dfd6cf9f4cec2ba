import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { erasurePreviewSchema } from '../../../wire/erasure.ts';

let pda: TestPda;
const erased = vi.fn<() => void>();
beforeAll(async () => {
  pda = await startTestPda({ onEraseEverything: erased });
  await pda.call('POST', '/api/v2.6/data/diary/days', { json: { text: 'a day' } });
});
afterAll(() => pda.close());

it.each([
  ['namespace', 'diary'],
  ['everything', ''],
])('of %s does not begin with a password that has become another one meanwhile', async (kind, target) => {
  const asked = await pda.call('GET', `/api/v2.6/owner/erasure-preview?kind=${kind}&target=${target}`);
  const { typed } = erasurePreviewSchema.parse(asked.json);
  const before = readdirSync(pda.home);
  const { owner } = pda.pda;
  // It was right when it was looked at, and is not any more where the erasure begins.
  const proving = vi.spyOn(owner, 'provePassword').mockResolvedValueOnce(() => false);
  const reply = await pda.call('POST', '/api/v2.6/owner/erasures', {
    json: { kind, target, typed, password: OWNER.password },
  });
  expect(proving).toHaveBeenCalledOnce();
  proving.mockRestore();
  expect([reply.status, errorOf(reply).error]).toEqual([403, 'forbidden']);
  expect((await pda.call('GET', '/api/v2.6/owner/erasures')).json).toEqual([]);
  expect(readdirSync(pda.home)).toEqual(before);
  expect(erased).not.toHaveBeenCalled();
});
