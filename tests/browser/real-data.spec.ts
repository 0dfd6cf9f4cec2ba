import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { dataSetPath, expect, type Pda, thoroughTest } from './pda.ts';

// Imports complete public data sets in the dashboard. The expected counts come from the files, not from the PDA.

async function importFile(page: Page, file: string, endpoint: string, recordCount: string): Promise<void> {
  await page.goto(page.url().replace(/#.*$/u, '#/data/imports'));
  await page.getByLabel('Choose file').setInputFiles(dataSetPath(file));
  await page.getByRole('combobox', { name: 'Store in' }).fill(endpoint);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: `${recordCount} records added` })).toBeVisible({ timeout: 60_000 });
  await page.getByRole('link', { name: 'Open records' }).click();
  await expect(page).toHaveURL(new RegExp(`#/data/endpoint/${endpoint}`, 'u'));
  await expect(page.getByText(recordCount).first()).toBeVisible();
}

async function readRecords(pda: Pda, path: string): Promise<unknown[]> {
  return (await pda.call('GET', path)) as unknown[];
}

thoroughTest(
  'flights and movies can be imported, browsed, filtered and merged, and all counts match the files',
  async ({ page, pda }) => {
    const flights = JSON.parse(await readFile(dataSetPath('flights-200k.json'), 'utf8')) as { delay: number }[];
    const movies = JSON.parse(await readFile(dataSetPath('movies.json'), 'utf8')) as object[];
    expect([flights.length, movies.length]).toEqual([231_083, 3201]);

    await pda.enter(page);
    await importFile(page, 'flights-200k.json', 'vega/flights', '231\u202F083');
    await importFile(page, 'movies.json', 'vega/movies', '3\u202F201');

    const lateCount = flights.filter(({ delay }) => delay > 300 && delay < 500).length;
    const filters = [{ field: 'delay', operator: { operator: 'between', lower: 300, upper: 500 } }];
    await pda.call('POST', '/api/v2.6/combinator/late', [{ endpoint: 'vega/flights', filters }]);
    expect(await readRecords(pda, '/api/v2.6/combinator/late?take=300000')).toHaveLength(lateCount);

    const bothEndpoints = { endpoints: [{ endpoint: 'vega/flights', filters }, { endpoint: 'vega/movies' }] };
    const bundle = (await pda.call('POST', '/api/v2.6/data-bundle/both', { both: bothEndpoints })) as {
      both: { endpoint: string }[];
    };
    expect(bundle.both).toHaveLength(lateCount + movies.length);
    expect(bundle.both.filter(({ endpoint }) => endpoint === 'vega/movies')).toHaveLength(movies.length);
  },
);
