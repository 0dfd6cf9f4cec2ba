import { describe, expect, it } from 'vitest';
import { anApplication } from '../../../../tests/support/applications.ts';
import { applicationSchema } from '../../../wire/applications.ts';
import { createDebitProposal } from './debit-proposal.ts';

const NOW = Date.UTC(2026, 0, 15);
const DAY_SECONDS = 86_400;
type ApplicationChange = Parameters<typeof anApplication>[0];
const proposal = (change: ApplicationChange = {}) =>
  createDebitProposal(applicationSchema.parse(anApplication({ data: ['fitness/steps'], ...change })), NOW);
const legacyProposal = (dataRequired: Record<string, unknown>) => {
  const application = anApplication();
  const bundle = { name: 'old', bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } };
  return createDebitProposal(
    applicationSchema.parse({
      ...application,
      permissions: { rolesGranted: [], dataRequired: { bundle, ...dataRequired } },
    }),
    NOW,
  );
};

describe('the Data Debit of an application', () => {
  it('is derived from the published definition', () => {
    expect(proposal({ info: { callbackUrl: 'https://notes.example.com/events' } })).toStrictEqual({
      dataDebitKey: 'app-notes',
      bundle: { name: 'notes-data', bundle: { 'fitness-steps': { endpoints: [{ endpoint: 'fitness/steps' }] } } },
      conditions: null,
      start: NOW,
      period: 30 * DAY_SECONDS,
      cancelAtPeriodEnd: false,
      purpose: 'To show your notes.',
      termsUrl: 'https://notes.example.com/terms',
      requestClientName: 'The notes',
      requestClientUrl: 'https://notes.example.com/',
      requestClientLogoUrl: 'https://notes.example.com/logo.png',
      requestClientCallbackUrl: 'https://notes.example.com/events',
      requestApplicationId: 'notes',
      requestDescription: 'Keeps your notes.',
    });
  });

  it('contains no bidirectional control characters, even if the stored application has them', () => {
    const result = proposal({
      info: { name: 'The \u202Eseton', dataUsePurpose: 'One\u2066\nTwo', description: { text: 'Keeps\u200F notes' } },
    });
    expect(result).toMatchObject({
      requestClientName: 'The  seton',
      purpose: 'One \nTwo',
      requestDescription: 'Keeps  notes',
    });
    expect(proposal({ info: { name: '\u202E' } })?.requestClientName).toBe('notes');
  });

  it('does not exist if the application requests no data', () => {
    expect(proposal({ data: undefined })).toBeUndefined();
  });

  it('uses the first web URL among the candidates, or no URL if there is none', () => {
    const result = proposal({
      url: 'notes://open',
      setup: { url: 'https://notes.example.com/callback' },
      info: { termsUrl: '', callbackUrl: '', graphics: { logo: { normal: '', small: 'https://a.example/s.png' } } },
    });
    expect(result).toMatchObject({
      requestClientUrl: 'https://notes.example.com/callback',
      termsUrl: 'https://notes.example.com/callback',
      requestClientLogoUrl: 'https://a.example/s.png',
      requestClientCallbackUrl: null,
    });
    const withoutUrls = { url: '', setup: { url: '' }, info: { termsUrl: '', graphics: { logo: { normal: '' } } } };
    expect(proposal(withoutUrls)).toMatchObject({ requestClientUrl: '', termsUrl: '', requestClientLogoUrl: '' });
  });

  it('has a purpose, even if the developer left it empty', () => {
    expect(proposal({ info: { dataUsePurpose: ' ', headline: 'A headline' } })?.purpose).toBe('A headline');
    expect(proposal({ info: { dataUsePurpose: '', headline: '' } })?.purpose).toBe('The notes');
  });

  it('is derived from a legacy definition if there is no current one', () => {
    const startDate = '2026-02-01T00:00:00Z';
    const endDate = '2026-02-11T00:00:00Z';
    const conditions = { name: 'if', bundle: { x: { endpoints: [{ endpoint: 'a/b' }] } } };
    expect(legacyProposal({ startDate, endDate, rolling: false, conditions })).toMatchObject({
      bundle: { name: 'old' },
      conditions: { name: 'if' },
      start: Date.parse(startDate),
      period: 10 * DAY_SECONDS,
      cancelAtPeriodEnd: true,
    });
    expect(legacyProposal({ startDate, endDate: Date.parse(endDate), rolling: true })?.cancelAtPeriodEnd).toBe(false);
  });

  it('starts now and lasts for the default period if the legacy start and end are in the past or invalid', () => {
    const pastTimes = { startDate: '2017-01-01T00:00:00Z', endDate: '2018-01-01T00:00:00Z', rolling: false };
    expect(legacyProposal(pastTimes)).toMatchObject({ start: NOW, period: 30 * DAY_SECONDS, cancelAtPeriodEnd: true });
    expect(legacyProposal({ startDate: 'soon', endDate: 'later' })).toMatchObject({
      start: NOW,
      period: 30 * DAY_SECONDS,
    });
  });
});
