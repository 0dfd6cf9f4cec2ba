import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, messageResponse } from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import { contractIdSchema } from '../../../wire/contracts.ts';
import { ownerContractSchema } from '../../../wire/network.ts';
import type { ContractService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Joined contracts', access: ownerOnly });
const PATH = '/api/v2.6/owner/contracts';

export const ownerContractRoutes = (parts: { contracts: Pick<ContractService, 'list' | 'nameOf' | 'leave'> }) => {
  const { contracts } = parts;
  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List contracts with the state of their membership',
      responses: { 200: { description: 'Contracts, sorted by id', schema: z.array(ownerContractSchema) } },
      handler: () => json(200, contracts.list()),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/:contractId/leave`,
      summary: 'Leave a contract',
      description:
        'Disables the contract’s application, so that access under the contract ends immediately. The contracts ' +
        'service is notified, with retries for up to 30 days.',
      params: z.strictObject({ contractId: contractIdSchema }),
      responses: { 200: { description: 'The PDA has left the contract', schema: messageSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params: { contractId }, caller }) => {
        // The name is read first, because the contract is removed as soon as the service acknowledges the departure.
        caller.trace.consent = { kind: 'contract', name: contractId, detail: contracts.nameOf(contractId) };
        await contracts.leave(contractId);
        return messageResponse(200, 'Left.');
      },
    }),
  ] as const;
};
