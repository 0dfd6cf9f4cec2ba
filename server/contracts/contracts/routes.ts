import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { publicAccess } from '../../platform/auth/principal.ts';
import { json, route } from '../../platform/http/route.ts';
import { contractIdSchema, contractSchema } from '../../wire/contracts.ts';
import type { ContractService } from './service.ts';

/** Public, so that owners can read a contract before they join it. */
export const contractRoutes = ({ contracts }: { contracts: ContractService }) =>
  [
    route({
      method: 'GET',
      path: '/v1/contracts/:id',
      tag: 'Contracts',
      summary: 'Show a contract: the rights that owners grant by joining',
      access: publicAccess,
      params: z.object({ id: contractIdSchema }),
      responses: { 200: { description: 'The contract', schema: contractSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => {
        const { enabled, created: _, ...contract } = await contracts.find(params.id);
        if (!enabled) throw new Failure('not_found', `The contract ${params.id} is disabled.`);
        return json(200, contract);
      },
    }),
  ] as const;
