import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { erasurePreviewSchema, erasureSchema } from '../../../wire/erasure.ts';
import { MAX_PINNED_CHARTS } from '../../../wire/limits.ts';
import { deletionSchema } from '../../../wire/owner.ts';
import { type PinnedChart, type PinnedChartSettings, pinnedChartsSchema } from '../../../wire/pinned-charts.ts';

const PATH = '/api/v2.6/owner/pinned-charts';
const distribution: PinnedChartSettings = { kind: 'distribution', field: 'v' };
const timeSeries: PinnedChartSettings = {
  kind: 'time',
  field: 'v',
  aggregation: 'mean',
  per: 'week',
  mark: 'line',
  lastDays: 90,
  compare: true,
};
const heat: PinnedChartSettings = { kind: 'heat', time: 'day', aggregation: 'count', year: '2025' };
const scatter: PinnedChartSettings = { kind: 'scatter', field: 'v', second: 'w' };
const gallery: PinnedChartSettings = { kind: 'gallery', field: 'photo', time: 'day' };

const fullList = Array.from({ length: MAX_PINNED_CHARTS }, () => distribution);

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
  await post('pins/a');
});
beforeEach(() => put([]));
afterAll(() => pda.close());

const post = (endpoint: string) => pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: [{ v: 1, w: 2 }] });
const put = (json: unknown) => pda.call('PUT', PATH, { json });
const readCharts = async (): Promise<PinnedChart[]> => pinnedChartsSchema.parse((await pda.call('GET', PATH)).json);
const pin = async (charts: unknown): Promise<PinnedChart[]> => pinnedChartsSchema.parse((await put(charts)).json);
const pinsOf = (endpoint: string, charts: readonly PinnedChartSettings[]) =>
  charts.map((chart) => ({ endpoint, chart }));
const endpointsOf = (charts: readonly PinnedChart[]): string[] => charts.map(({ endpoint }) => endpoint);

describe('pinned charts', () => {
  it('are stored with all settings, in order, and survive a restart', async () => {
    const charts = [timeSeries, heat, distribution, scatter, gallery, { kind: 'values', field: '' } as const];
    const pinnedCharts = await pin(pinsOf('pins/a', charts));
    expect(pinnedCharts.map(({ chart }) => chart)).toEqual(charts);
    expect(new Set(pinnedCharts.map(({ id }) => id)).size).toBe(charts.length);
    await pda.restart();
    expect(await readCharts()).toEqual(pinnedCharts);
  });

  it('keep their ids when they are reordered, and are removed when the list omits them', async () => {
    const [firstChart, , thirdChart] = await pin(pinsOf('pins/a', [timeSeries, heat, distribution]));
    expect(await pin([thirdChart, firstChart])).toEqual([thirdChart, firstChart]);
    expect(await readCharts()).toEqual([thirdChart, firstChart]);
  });

  it('are limited to MAX_PINNED_CHARTS', async () => {
    const charts = pinsOf('pins/a', fullList);
    expect(await pin(charts)).toHaveLength(MAX_PINNED_CHARTS);
    expect((await put([...charts, ...charts.slice(0, 1)])).status).toBe(400);
    expect(await readCharts()).toHaveLength(MAX_PINNED_CHARTS);
  });

  it.each([
    { chart: { ...distribution, kind: 'pie' } },
    { chart: { kind: 'distribution' } },
    { chart: { ...distribution, per: 'day' } },
    { chart: { ...timeSeries, lastDays: 8 } },
    { chart: { ...heat, year: 'last' } },
    { chart: { ...distribution, field: 'x'.repeat(401) } },
    { chart: distribution, endpoint: 'none' },
    { chart: distribution, title: 'Weight' },
    { chart: distribution, id: '1' },
  ])('are rejected if they are invalid: %j', async (json) => {
    expect((await put([{ endpoint: 'pins/a', ...json }])).status).toBe(400);
  });

  it('are rejected if an id appears twice', async () => {
    const [chart] = await pin(pinsOf('pins/a', [distribution]));
    expect((await put([chart, chart])).status).toBe(400);
  });

  it('cannot be read or changed without a token', async () => {
    for (const method of ['GET', 'PUT'] as const) {
      const reply = await pda.call(method, PATH, { token: '', ...(method === 'PUT' ? { json: [] } : {}) });
      expect([reply.status, errorOf(reply).error]).toEqual([401, 'not_authenticated']);
    }
  });
});

describe('pinned charts of an endpoint without records', () => {
  it('are omitted until the endpoint has records', async () => {
    expect(await pin(pinsOf('pins/later', [distribution]))).toEqual([]);
    await post('pins/later');
    expect(endpointsOf(await readCharts())).toEqual(['pins/later']);
  });

  it('reappear when the deletion of the endpoint is undone, even if the list has changed', async () => {
    await post('pins/gone');
    await pin([...pinsOf('pins/gone', [heat]), ...pinsOf('pins/a', [timeSeries])]);
    const reply = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'pins/gone' } });
    const { deletionId } = deletionSchema.parse(reply.json);
    const visibleCharts = await readCharts();
    expect(endpointsOf(visibleCharts)).toEqual(['pins/a']);
    await pin([...visibleCharts, ...pinsOf('pins/a', [distribution])]);
    await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`);
    expect(endpointsOf(await readCharts())).toEqual(['pins/a', 'pins/a', 'pins/gone']);
  });

  it('are removed when visible charts fill the list', async () => {
    await pin(pinsOf('pins/never', [distribution]));
    await pin(pinsOf('pins/a', fullList));
    await post('pins/never');
    expect(endpointsOf(await readCharts())).not.toContain('pins/never');
  });
});

it('erasing a namespace deletes its pinned charts', async () => {
  await post('pins-erased/days');
  await pin([...pinsOf('pins-erased/days', [distribution]), ...pinsOf('pins/a', [timeSeries])]);
  const target = { kind: 'namespace', target: 'pins-erased' };
  const preview = await pda.call('GET', `/api/v2.6/owner/erasure-preview?kind=namespace&target=${target.target}`);
  const { typed } = erasurePreviewSchema.parse(preview.json);
  const reply = await pda.call('POST', '/api/v2.6/owner/erasures', {
    json: { ...target, typed, password: OWNER.password },
  });
  expect(reply.status).toBe(202);
  const runningErasures = async () =>
    z
      .array(erasureSchema)
      .parse((await pda.call('GET', '/api/v2.6/owner/erasures')).json)
      .filter(({ finished }) => finished === null);
  await expect.poll(runningErasures).toEqual([]);
  await post('pins-erased/days');
  expect(endpointsOf(await readCharts())).toEqual(['pins/a']);
});
