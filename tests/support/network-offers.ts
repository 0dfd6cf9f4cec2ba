import { anApplication } from './applications.ts';

// Applications, Offers and conditions for the network tests.

const DAY_MS = 86_400_000;

export const applicationOf = (id: string, kind: 'App' | 'Contract', rights: [role: string, detail: string][]) => {
  const application = anApplication({ id, roles: rights.map(([role, detail]) => ({ role, detail })) });
  return { ...application, kind: { ...application.kind, kind } };
};

const stepsByDay = (name: string) => ({
  name,
  bundle: {
    days: {
      endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'data.day', steps: 'data.steps' } }],
      orderBy: 'day',
    },
  },
});
/** Condition: a record with more than 5,000 steps. */
export const LONG_WALKS = {
  name: 'long-walks',
  bundle: {
    long: {
      endpoints: [
        {
          endpoint: 'fitness/steps',
          filters: [{ field: 'data.steps', operator: { operator: 'between', lower: 5000, upper: 1_000_000 } }],
        },
      ],
      limit: 1,
    },
  },
};
export const offerOf = (offerId: string, overrides: object) => ({
  offerId,
  title: 'How far do people walk?',
  description: 'We compare how far people walk.',
  starts: Date.now() - DAY_MS,
  expires: Date.now() + DAY_MS,
  requiredData: stepsByDay(`data-of-${offerId}`),
  requiredMaxUser: 2,
  ...overrides,
});
