import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { activityDaySchema } from '../../../../wire/owner.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const requestActivity = (query: string) => pda.call('GET', `/api/v2.6/owner/activity${query}`);

it.each([
  ['', 30],
  ['?days=0', 1],
  ['?days=7', 7],
  ['?days=1000', 400],
])('the activity%s covers %i days, the last of which is today', async (query, count) => {
  const days = activityDaySchema.array().parse((await requestActivity(query)).json);
  expect(days).toHaveLength(count);
  expect(days.at(-1)?.day).toBe(new Date(pda.clock.now()).toISOString().slice(0, 10));
});

it.each(['-1', '1.5', 'x', ''])('activity for %j days is refused', async (days) => {
  expect((await requestActivity(`?days=${days}`)).status).toBe(400);
});
