import { useQuery } from '@tanstack/react-query';
import { contracts, network } from '../../../api/sharing/network.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { CONTRACTS_PATH, NETWORK_PATH } from '../../../navigation.ts';
import { hostText } from '../../offers/offer-text.ts';
import type { AttentionItem } from './attention-item.ts';

export function useExchangeItems(): AttentionItem[] | undefined {
  const exchange = useQuery(network).data?.exchange;
  if (exchange === undefined) return undefined;
  if (exchange?.state !== 'failed') return [];
  return [
    {
      id: 'exchange',
      title: m.network.home.failed(hostText(exchange.url)),
      text: exchange.problem ?? '',
      to: NETWORK_PATH,
      isError: true,
    },
  ];
}

export function useContractItems(): AttentionItem[] | undefined {
  return useQuery(contracts)
    .data?.filter(({ state }) => state === 'failed')
    .map(({ contractId, name, problem }) => ({
      id: `contract ${contractId}`,
      title: m.contracts.home.failed(name),
      text: problem ?? '',
      to: CONTRACTS_PATH,
      isError: true,
    }));
}
