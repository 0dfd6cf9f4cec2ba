import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import { contractIdSchema } from '../../../wire/contracts.ts';
import { ownerContractSchema } from '../../../wire/network.ts';
import type { ContractService } from './service.ts';

const TAG = 'Contracts joined';
const PATH = '/api/v2.6/owner/contracts';

export const ownerContractRoutes = (parts: { contracts: Pick<ContractService, 'list' | 'nameOf' | 'leave'> }) => {
  const { contracts } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'List contracts that this PDA has joined, is joining or is leaving',
      access: ownerOnly,
      responses: { 200: { description: 'Contracts, sorted by id', schema: z.array(ownerContractSchema) } },
      handler: () => json(200, contracts.list()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/:contractId/leave`,
      tag: TAG,
      summary: 'Leave a contract',
      description:
        'Disables the contract’s application, so that access under the contract ends immediately. The contracts ' +
        'service is notified until it acknowledges.',
      access: ownerOnly,
      params: z.strictObject({ contractId: contractIdSchema }),
      responses: { 200: { description: 'The PDA has left the contract', schema: messageSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params: { contractId }, caller }) => {
        // Reads the name first, because the contract is unlisted as soon as the contracts service acknowledges.
        caller.trace.consent = { kind: 'contract', name: contractId, detail: contracts.nameOf(contractId) };
        await contracts.leave(contractId);
        return messageResponse(200, 'Left.');
      },
    }),
  ] as const;
};
