import { useQuery } from '@tanstack/react-query';
import { contracts, network } from '../../../api/sharing/network.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { CONTRACTS_PATH, NETWORK_PATH } from '../../../navigation.ts';
import { hostText } from '../../offers/offer-text.ts';
import type { Need } from './items.ts';

/** A registration that does not come about, and contracts that could not be joined. A claimed Offer waits as the request that it is. */
export function useNetworkNeeds(): Need[] {
  const exchange = useQuery(network).data?.exchange;
  const joined = useQuery(contracts).data ?? [];
  const needs: Need[] = [];
  if (exchange?.state === 'failed') {
    needs.push({
      id: 'exchange',
      title: m.network.home.failed(hostText(exchange.url)),
      text: exchange.problem ?? '',
      to: NETWORK_PATH,
      fault: true,
    });
  }
  for (const { contractId, name, state, problem } of joined) {
    if (state !== 'failed') continue;
    const title = m.contracts.home.failed(name);
    needs.push({ id: `contract ${contractId}`, title, text: problem ?? '', to: CONTRACTS_PATH, fault: true });
  }
  return needs;
}
