import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { erasurePreviewSchema, erasureSchema } from '../../../wire/erasure.ts';
import { MAX_PINNED_CHARTS } from '../../../wire/limits.ts';
import { deletionSchema } from '../../../wire/owner.ts';
import { type ChartSettings, type PinnedChart, pinnedChartsSchema } from '../../../wire/pinned-charts.ts';

const PATH = '/api/v2.6/owner/pinned-charts';
const distribution: ChartSettings = { kind: 'distribution', field: 'v' };
const overTime: ChartSettings = {
  kind: 'time',
  field: 'v',
  aggregation: 'mean',
  per: 'week',
  mark: 'line',
  lastDays: 90,
  compare: true,
};
const heat: ChartSettings = { kind: 'heat', time: 'day', aggregation: 'count', year: '2025' };
const scatter: ChartSettings = { kind: 'scatter', field: 'v', second: 'w' };

const mostCharts = Array.from({ length: MAX_PINNED_CHARTS }, () => distribution);

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
  await post('pins/a');
});
beforeEach(() => put([]));
afterAll(() => pda.close());

const post = (endpoint: string) => pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: [{ v: 1, w: 2 }] });
const put = (json: unknown) => pda.call('PUT', PATH, { json });
const stored = async (): Promise<PinnedChart[]> => pinnedChartsSchema.parse((await pda.call('GET', PATH)).json);
const pin = async (charts: unknown): Promise<PinnedChart[]> => pinnedChartsSchema.parse((await put(charts)).json);
const pinsOf = (endpoint: string, charts: readonly ChartSettings[]) => charts.map((chart) => ({ endpoint, chart }));
const endpointsOf = (charts: readonly PinnedChart[]): string[] => charts.map(({ endpoint }) => endpoint);

describe('pinned charts', () => {
  it('are stored with all choices, in order, and survive a restart', async () => {
    const charts = [overTime, heat, distribution, scatter, { kind: 'values', field: '' } as const];
    const pinned = await pin(pinsOf('pins/a', charts));
    expect(pinned.map(({ chart }) => chart)).toEqual(charts);
    expect(new Set(pinned.map(({ id }) => id)).size).toBe(charts.length);
    await pda.restart();
    expect(await stored()).toEqual(pinned);
  });

  it('keep their ids when they are arranged, and are removed when they are left out', async () => {
    const [first, , third] = await pin(pinsOf('pins/a', [overTime, heat, distribution]));
    expect(await pin([third, first])).toEqual([third, first]);
    expect(await stored()).toEqual([third, first]);
  });

  it('are at most twelve', async () => {
    const most = pinsOf('pins/a', mostCharts);
    expect(await pin(most)).toHaveLength(MAX_PINNED_CHARTS);
    expect((await put([...most, ...most.slice(0, 1)])).status).toBe(400);
    expect(await stored()).toHaveLength(MAX_PINNED_CHARTS);
  });

  it.each([
    { chart: { ...distribution, kind: 'pie' } },
    { chart: { kind: 'distribution' } },
    { chart: { ...distribution, per: 'day' } },
    { chart: { ...overTime, lastDays: 8 } },
    { chart: { ...heat, year: 'last' } },
    { chart: { ...distribution, field: 'x'.repeat(401) } },
    { chart: distribution, endpoint: 'none' },
    { chart: distribution, title: 'Weight' },
    { chart: distribution, id: '1' },
  ])('reject %j', async (json) => {
    expect((await put([{ endpoint: 'pins/a', ...json }])).status).toBe(400);
  });

  it('reject an id that appears twice', async () => {
    const [chart] = await pin(pinsOf('pins/a', [distribution]));
    expect((await put([chart, chart])).status).toBe(400);
  });

  it('can be read and changed by the owner only', async () => {
    for (const method of ['GET', 'PUT'] as const) {
      const reply = await pda.call(method, PATH, { token: '', ...(method === 'PUT' ? { json: [] } : {}) });
      expect([reply.status, errorOf(reply).error]).toEqual([401, 'not_authenticated']);
    }
  });
});

describe('pinned charts of an endpoint without records', () => {
  it('are left out until the endpoint has records', async () => {
    expect(await pin(pinsOf('pins/later', [distribution]))).toEqual([]);
    await post('pins/later');
    expect(endpointsOf(await stored())).toEqual(['pins/later']);
  });

  it('return when the deletion is undone, also if the list was changed meanwhile', async () => {
    await post('pins/gone');
    await pin([...pinsOf('pins/gone', [heat]), ...pinsOf('pins/a', [overTime])]);
    const reply = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'pins/gone' } });
    const { deletionId } = deletionSchema.parse(reply.json);
    const shown = await stored();
    expect(endpointsOf(shown)).toEqual(['pins/a']);
    await pin([...shown, ...pinsOf('pins/a', [distribution])]);
    await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`);
    expect(endpointsOf(await stored())).toEqual(['pins/a', 'pins/a', 'pins/gone']);
  });

  it('leave their place to new ones when the list is full', async () => {
    await pin(pinsOf('pins/never', [distribution]));
    await pin(pinsOf('pins/a', mostCharts));
    await post('pins/never');
    expect(endpointsOf(await stored())).not.toContain('pins/never');
  });
});

it('an erased namespace takes its pinned charts with it', async () => {
  await post('pins-erased/days');
  await pin([...pinsOf('pins-erased/days', [distribution]), ...pinsOf('pins/a', [overTime])]);
  const target = { kind: 'namespace', target: 'pins-erased' };
  const preview = await pda.call('GET', `/api/v2.6/owner/erasure-preview?kind=namespace&target=${target.target}`);
  const { typed } = erasurePreviewSchema.parse(preview.json);
  const reply = await pda.call('POST', '/api/v2.6/owner/erasures', {
    json: { ...target, typed, password: OWNER.password },
  });
  expect(reply.status).toBe(202);
  const running = async () =>
    z
      .array(erasureSchema)
      .parse((await pda.call('GET', '/api/v2.6/owner/erasures')).json)
      .filter(({ finished }) => finished === null);
  await expect.poll(running, { timeout: 20_000 }).toEqual([]);
  await post('pins-erased/days');
  expect(endpointsOf(await stored())).toEqual(['pins/a']);
});
