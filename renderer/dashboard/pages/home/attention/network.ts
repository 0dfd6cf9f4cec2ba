import { useQuery } from '@tanstack/react-query';
import { contracts, network } from '../../../api/sharing/network.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { CONTRACTS_PATH, NETWORK_PATH } from '../../../navigation.ts';
import { hostText } from '../../offers/offer-text.ts';
import type { AttentionItem } from './items.ts';

export function useNetworkItems(): AttentionItem[] {
  const exchange = useQuery(network).data?.exchange;
  const contractList = useQuery(contracts).data ?? [];
  const items: AttentionItem[] = [];
  if (exchange?.state === 'failed') {
    items.push({
      id: 'exchange',
      title: m.network.home.failed(hostText(exchange.url)),
      text: exchange.problem ?? '',
      to: NETWORK_PATH,
      isError: true,
    });
  }
  for (const { contractId, name, state, problem } of contractList) {
    if (state !== 'failed') continue;
    const title = m.contracts.home.failed(name);
    items.push({ id: `contract ${contractId}`, title, text: problem ?? '', to: CONTRACTS_PATH, isError: true });
  }
  return items;
}
