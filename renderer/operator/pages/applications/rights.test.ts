import { expect, it } from 'vitest';
import { anApplication } from '../../../../tests/support/applications.ts';
import { applicationSchema } from '../../../../server/wire/applications.ts';
import { rightsOf } from './rights.ts';

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
