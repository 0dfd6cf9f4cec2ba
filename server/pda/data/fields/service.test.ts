import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startImport, uploadImport, waitForImport } from '../../../../tests/support/import-over-http.ts';
import { errorOf, recordsOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { endpointFieldsSchema, type EndpointFields } from '../../../wire/fields.ts';
import { EMBEDDED_PICTURE_MAX_CHARS } from '../../../wire/limits.ts';
import { endpointSummarySchema } from '../../../wire/owner.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const post = (endpoint: string, json: unknown) => pda.call('POST', `/api/v2.6/data/${endpoint}`, { json });
const fieldsPath = (endpoint: string) => `/api/v2.6/owner/fields?endpoint=${encodeURIComponent(endpoint)}`;
const fieldsOf = async (endpoint: string): Promise<EndpointFields> =>
  endpointFieldsSchema.parse((await pda.call('GET', fieldsPath(endpoint))).json);
const correct = (endpoint: string, json: unknown) => pda.call('PUT', fieldsPath(endpoint), { json });

describe('types and names of fields', () => {
  it('are inferred from the records', async () => {
    await post('example/daily-steps', [
      { day: '2026-03-01', steps: 8112, pulse_resting: 58 },
      { day: '2026-03-02', steps: 6543, pulse_resting: 60 },
    ]);
    const { name, sampled, corrected, fields } = await fieldsOf('example/daily-steps');
    expect({ name, sampled, corrected }).toEqual({ name: 'Daily steps', sampled: 2, corrected: false });
    expect(fields.map(({ path, name: label, type }) => [path, label, type])).toEqual([
      ['day', 'Day', 'date'],
      ['steps', 'Steps', 'number'],
      ['pulse_resting', 'Resting pulse', 'number'],
    ]);
  });

  it('are inferred again when records are added', async () => {
    await post('fields/growing', [{ a: 1 }]);
    expect((await fieldsOf('fields/growing')).fields.map(({ path }) => path)).toEqual(['a']);
    await post('fields/growing', [{ a: 'x', b: true }]);
    expect((await fieldsOf('fields/growing')).fields.map(({ path, type }) => [path, type])).toEqual([
      ['a', 'text'],
      ['b', 'boolean'],
    ]);
  });

  it('are inferred from old and new records of a large endpoint', async () => {
    await post('fields/large', [{ old: 1 }, ...Array.from({ length: 2000 }, (_, index) => ({ n: index }))]);
    const { sampled, fields } = await fieldsOf('fields/large');
    expect(sampled).toBeLessThanOrEqual(400);
    expect(fields.map(({ path }) => path).toSorted()).toEqual(['n', 'old']);
  });

  it('of a changed large endpoint are inferred again after ten seconds, or once it has grown by a tenth', async () => {
    const endpoint = 'fields/kept-up';
    const numbers = Array.from({ length: 1000 }, (_, n) => ({ n }));
    const createdRecords = recordsOf(await post(endpoint, numbers));
    const paths = async () => (await fieldsOf(endpoint)).fields.map(({ path }) => path).toSorted();
    expect(await paths()).toEqual(['n']);

    await post(endpoint, [{ n: 1, added: true }]);
    expect(await paths()).toEqual(['n']);
    pda.clock.advance(10_000);
    expect(await paths()).toEqual(['added', 'n']);

    const recordId = createdRecords.at(-1)?.recordId;
    await pda.call('PUT', '/api/v2.6/data', { json: [{ endpoint, recordId, data: { n: 1, changed: true } }] });
    expect(await paths()).toEqual(['added', 'n']);
    pda.clock.advance(10_000);
    expect(await paths()).toEqual(['added', 'changed', 'n']);

    await post(endpoint, [{ grown: true }, ...numbers.slice(0, 110)]);
    expect(await paths()).toEqual(['added', 'changed', 'grown', 'n']);
  });

  it('of a large endpoint are inferred again when an import ends', async () => {
    const endpoint = 'fields/imported';
    await post(
      endpoint,
      Array.from({ length: 1000 }, (_, n) => ({ n })),
    );
    const paths = async () => (await fieldsOf(endpoint)).fields.map(({ path }) => path).toSorted();
    expect(await paths()).toEqual(['n']);
    const { importId } = await uploadImport(pda, 'added.ndjson', Buffer.from('{"n":1000,"added":true}\n'));
    await startImport(pda, importId, { endpoint, format: 'ndjson' });
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'done', added: 1 });
    expect(await paths()).toEqual(['added', 'n']);
  });

  it('are inferred from only a few records if all records are large, such as those with pictures', async () => {
    const photo = `data:image/png;base64,${'A'.repeat(50_000)}`;
    await post(
      'fields/pictures',
      Array.from({ length: 9 }, (_, n) => ({ n, photo })),
    );
    const { sampled, fields } = await fieldsOf('fields/pictures');
    expect(sampled).toBeGreaterThan(0);
    expect(sampled).toBeLessThanOrEqual(4);
    expect(fields.map(({ path, type }) => [path, type])).toEqual([
      ['n', 'number'],
      ['photo', 'image'],
    ]);
  });

  it('are inferred from a record with the largest picture that a gallery shows', async () => {
    const photo = 'data:image/png;base64,'.padEnd(EMBEDDED_PICTURE_MAX_CHARS, 'A');
    await post('fields/large-pictures', [{ photo }, { photo }]);
    const { sampled, fields } = await fieldsOf('fields/large-pictures');
    expect(sampled).toBe(1);
    expect(fields.map(({ path, type }) => [path, type])).toEqual([['photo', 'image']]);
  });

  it('include those of a field whose name is only white space', async () => {
    await post('fields/blank', [{ ' ': 1, a: 2 }]);
    expect((await fieldsOf('fields/blank')).fields.map(({ path, name }) => [path, name])).toEqual([
      [' ', 'Value'],
      ['a', 'A'],
    ]);
  });

  it('are not found for an endpoint without records', async () => {
    const reply = await pda.call('GET', fieldsPath('fields/none'));
    expect([reply.status, errorOf(reply).error]).toEqual([404, 'not_found']);
  });
});

describe('corrections', () => {
  it('replace names, types and units, survive a restart and can be reverted', async () => {
    await post('fields/corrected', [{ v: 1, w: 2 }]);
    const reply = await correct('fields/corrected', {
      name: 'Sleep',
      icon: 'heart',
      colour: 'teal',
      fields: [{ path: 'v', name: 'Time asleep', type: 'duration', unit: 'min' }],
    });
    expect(reply.status).toBe(200);
    await pda.restart();
    const correctedFields = await fieldsOf('fields/corrected');
    expect(correctedFields).toMatchObject({ name: 'Sleep', icon: 'heart', colour: 'teal', corrected: true });
    expect(correctedFields.fields[0]).toMatchObject({
      path: 'v',
      name: 'Time asleep',
      type: 'duration',
      unit: 'min',
      corrected: true,
    });
    expect(correctedFields.fields[1]?.corrected).toBe(false);

    await correct('fields/corrected', { name: null, fields: [{ path: 'v', name: null, type: null, unit: null }] });
    const revertedFields = await fieldsOf('fields/corrected');
    expect(revertedFields).toMatchObject({ name: 'Corrected', icon: 'heart', corrected: true });
    expect(revertedFields.fields[0]).toMatchObject({ name: 'V', type: 'number', unit: '', corrected: false });
  });

  it('can set the colour of a field without marking the field as corrected', async () => {
    await post('fields/coloured', [{ distance_km: 1, v: 2 }]);
    await correct('fields/coloured', { fields: [{ path: 'distance_km', colour: 'violet' }] });
    const [distance, v] = (await fieldsOf('fields/coloured')).fields;
    expect(distance).toMatchObject({ name: 'Distance km', colour: 'violet', corrected: false });
    expect(v?.colour).toBeUndefined();
    await correct('fields/coloured', { fields: [{ path: 'distance_km', unit: 'mi' }] });
    expect((await fieldsOf('fields/coloured')).fields[0]).toMatchObject({
      unit: 'mi',
      colour: 'violet',
      corrected: true,
    });
    await correct('fields/coloured', { fields: [{ path: 'distance_km', colour: null }] });
    expect((await fieldsOf('fields/coloured')).fields[0]?.colour).toBeUndefined();
  });

  it('do not include the chart that is stored for an endpoint, which survives a change of the name', async () => {
    await post('fields/chart', [{ v: 1 }]);
    await correct('fields/chart', { chart: 'chart=time&field=v', fields: [] });
    expect(await fieldsOf('fields/chart')).toMatchObject({ chart: 'chart=time&field=v', corrected: false });
    await correct('fields/chart', { name: 'Values' });
    await correct('fields/chart', { name: null });
    expect(await fieldsOf('fields/chart')).toMatchObject({ chart: 'chart=time&field=v', corrected: false });
    await correct('fields/chart', { chart: null });
    expect((await fieldsOf('fields/chart')).chart).toBeUndefined();
  });

  it('set the time format of a field that becomes a date, based on its values', async () => {
    await post('fields/times', [
      { logged: 1_709_251_200, day: '3/14/2024', note: 'soon' },
      { logged: 1_709_254_800, day: 'unknown', note: 'later' },
    ]);
    const formats = async () => (await fieldsOf('fields/times')).fields.map(({ timeFormat }) => timeFormat);
    expect(await formats()).toEqual([undefined, undefined, undefined]);
    await correct('fields/times', {
      fields: [
        { path: 'logged', type: 'dateTime' },
        { path: 'day', type: 'date' },
        { path: 'note', type: 'date' },
      ],
    });
    expect(await formats()).toEqual(['seconds', 'month-day', undefined]);
    await correct('fields/times', { fields: [{ path: 'logged', type: null }] });
    expect(await formats()).toEqual([undefined, 'month-day', undefined]);
  });

  it('appear in the list of endpoints', async () => {
    await post('fields/listed', [{ v: 1 }]);
    const readListedEndpoint = async () => {
      const endpoints = z.array(endpointSummarySchema).parse((await pda.call('GET', '/api/v2.6/owner/endpoints')).json);
      const { name, icon, colour, fieldNames, fieldColours } =
        endpoints.find(({ endpoint }) => endpoint === 'fields/listed') ?? {};
      return { name, icon, colour, fieldNames, fieldColours };
    };
    expect(await readListedEndpoint()).toEqual({ name: 'Listed' });
    await correct('fields/listed', {
      name: 'Weight',
      icon: 'heart',
      colour: 'teal',
      fields: [
        { path: 'v', name: 'Body weight' },
        { path: 'w', unit: 'kg' },
        { path: 'x', colour: 'orange' },
      ],
    });
    expect(await readListedEndpoint()).toEqual({
      name: 'Weight',
      icon: 'heart',
      colour: 'teal',
      fieldNames: [{ path: 'v', name: 'Body weight' }],
      fieldColours: [{ path: 'x', colour: 'orange' }],
    });
  });

  it('keep earlier corrections of properties that the request omits', async () => {
    await post('fields/partial', [{ v: 1 }]);
    await correct('fields/partial', { fields: [{ path: 'v', name: 'Value of v' }] });
    await correct('fields/partial', { fields: [{ path: 'v', unit: 'm' }] });
    expect((await fieldsOf('fields/partial')).fields[0]).toMatchObject({ name: 'Value of v', unit: 'm' });
  });

  it('of one field can be spread over several items of a request', async () => {
    await post('fields/parts', [{ v: 1 }]);
    await correct('fields/parts', {
      fields: [
        { path: 'v', name: 'Value of v' },
        { path: 'v', unit: 'm' },
      ],
    });
    expect((await fieldsOf('fields/parts')).fields[0]).toMatchObject({ name: 'Value of v', unit: 'm' });
  });

  it('that set the type to image add the share of records whose picture is stored in the PDA', async () => {
    const photo = 'data:image/png;base64,iVBORw0K';
    await post('fields/photos', [{ photo }, { photo: 'none' }]);
    const readField = async () => (await fieldsOf('fields/photos')).fields[0];
    expect(await readField()).toMatchObject({ type: 'text' });
    expect((await readField())?.ownPictures).toBeUndefined();
    await correct('fields/photos', { fields: [{ path: 'photo', type: 'image' }] });
    expect(await readField()).toMatchObject({ type: 'image', ownPictures: 0.5 });
    await post('fields/covers', [{ photo }]);
    await correct('fields/covers', { fields: [{ path: 'photo', type: 'text' }] });
    expect((await fieldsOf('fields/covers')).fields[0]?.ownPictures).toBeUndefined();
  });

  it.each([
    { name: '' },
    { name: 'x'.repeat(81) },
    { icon: 'skull' },
    { colour: 'red; background: url(https://example.com)' },
    { fields: [{ path: 'v', type: 'nonsense' }] },
    { fields: [{ path: 'v', colour: '#ff0000' }] },
    { unknown: 1 },
  ])('are rejected if they are invalid: %j', async (json) => {
    await post('fields/refused', [{ v: 1 }]);
    expect((await correct('fields/refused', json)).status).toBe(400);
  });

  it('cannot be read without a token', async () => {
    const reply = await pda.call('GET', fieldsPath('fields/refused'), { token: '' });
    expect(reply.status).toBe(401);
  });
});

describe('name, icon and colour of a namespace', () => {
  const choose = (namespace: string, json: unknown) =>
    pda.call('PUT', `/api/v2.6/owner/namespaces/${encodeURIComponent(namespace)}`, { json });
  const displaysOf = async (namespace: string) => {
    const endpoints = z.array(endpointSummarySchema).parse((await pda.call('GET', '/api/v2.6/owner/endpoints')).json);
    return endpoints
      .filter(({ endpoint }) => endpoint.startsWith(`${namespace}/`))
      .map(({ name, icon, colour, namespaceDisplay }) => ({ name, icon, colour, namespaceDisplay }));
  };

  it('are listed with its endpoints, are inherited except for the name, survive a restart, and can be removed', async () => {
    await post('watch/steps', [{ v: 1 }]);
    await post('watch/sleep', [{ v: 1 }]);
    await correct('watch/steps', { icon: 'run' });
    const display = { name: 'My watch', icon: 'heart', colour: 'grape' };
    const reply = await choose('watch', display);
    expect([reply.status, reply.json]).toEqual([200, display]);
    await pda.restart();
    expect(await displaysOf('watch')).toEqual([
      { name: 'Sleep', icon: 'heart', colour: 'grape', namespaceDisplay: display },
      { name: 'Steps', icon: 'run', colour: 'grape', namespaceDisplay: display },
    ]);
    // The endpoint's own choices are stored separately, so that the owner can return to those of the namespace.
    const { icon, colour, corrected } = await fieldsOf('watch/sleep');
    expect({ icon, colour, corrected }).toEqual({ icon: undefined, colour: undefined, corrected: false });

    expect((await choose('watch', { name: null })).json).toEqual({ icon: 'heart', colour: 'grape' });
    await choose('watch', { icon: null, colour: null });
    expect(await displaysOf('watch')).toEqual([{ name: 'Sleep' }, { name: 'Steps', icon: 'run' }]);
  });

  it('do not apply to a namespace whose name only begins with the same word', async () => {
    await post('near/values', [{ v: 1 }]);
    await post('near-by/values', [{ v: 1 }]);
    await choose('near', { colour: 'teal' });
    expect(await displaysOf('near-by')).toEqual([{ name: 'Values' }]);
  });

  it.each([{ name: '' }, { name: 'x'.repeat(81) }, { icon: 'skull' }, { colour: 'red' }, { type: 'number' }])(
    'are rejected if they are invalid: %j',
    async (json) => {
      await post('refused/values', [{ v: 1 }]);
      expect((await choose('refused', json)).status).toBe(400);
    },
  );

  it('cannot be set for a namespace without records', async () => {
    const reply = await choose('absent', { name: 'Nothing' });
    expect([reply.status, errorOf(reply).error]).toEqual([404, 'not_found']);
  });
});
