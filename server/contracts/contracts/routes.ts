import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { anyone } from '../../platform/principal.ts';
import { json, route } from '../../platform/route.ts';
import { contractIdSchema, contractSchema } from '../../wire/contracts.ts';
import type { ContractService } from './service.ts';

export const contractRoutes = ({ contracts }: { contracts: ContractService }) =>
  [
    route({
      method: 'GET',
      path: '/v1/contracts/:id',
      tag: 'Contracts',
      summary: 'What owners who join agree to',
      access: anyone,
      params: z.object({ id: contractIdSchema }),
      responses: { 200: { description: 'The contract', schema: contractSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => {
        const { enabled, created: _, ...contract } = await contracts.find(params.id);
        if (!enabled) throw new Failure('not_found', `There is no contract ${params.id} any more.`);
        return json(200, contract);
      },
    }),
  ] as const;
