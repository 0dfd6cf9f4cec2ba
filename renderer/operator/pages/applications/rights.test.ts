import { expect, it } from 'vitest';
import { anApplication } from '../../../../tests/support/applications.ts';
import { applicationSchema } from '../../../../server/wire/applications.ts';
import { rightsOf, summariseRights } from './rights.ts';

it.each([
  ['namespaceread', 'fitness', 'read'],
  ['namespaceread', '*', 'other'],
  ['managefiles', 'photos/2024', 'other'],
  ['datadebit', '', 'debits'],
  ['datadebit', 'steps/daily', 'debits'],
  ['datadebit', '*', 'other'],
  ['datadebit', 'steps:daily', 'other'],
] as const)('classifies the right %s "%s" as %s', (role, detail, kind) => {
  const application = applicationSchema.parse(anApplication({ roles: [{ role, detail }] }));
  expect(rightsOf(application)).toMatchObject([{ kind }]);
});

it.each([
  ['namespaceread', '*', 'Only learns who the owner is'],
  ['datadebit', 'steps:daily', 'Only learns who the owner is'],
  ['datadebit', '', 'Asks owners for data'],
  ['owner', '', 'Reads and changes all records'],
] as const)('summarises the right %s "%s" as "%s"', (role, detail, text) => {
  const application = applicationSchema.parse(anApplication({ roles: [{ role, detail }] }));
  expect(summariseRights(application)).toBe(text);
});
