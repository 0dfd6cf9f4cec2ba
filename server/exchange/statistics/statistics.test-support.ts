import { createHash } from 'node:crypto';
import type { StatisticEvent } from '../../wire/statistics.ts';

type Stats = Extract<StatisticEvent, { stats: unknown }>['stats'];

export const eventId = (number: number): string => {
  const hex = createHash('sha256').update(String(number)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

export const inboundEvent = (number: number, time: number, stats: Stats, application = 'fitbit'): StatisticEvent => ({
  id: eventId(number),
  time,
  statsType: 'inbound',
  application,
  stats,
});

export const outboundEvent = (
  number: number,
  time: number,
  stats: Stats,
  dataDebitKey = 'offer-x',
): StatisticEvent => ({
  id: eventId(number),
  time,
  statsType: 'outbound',
  dataDebitKey,
  stats,
});

export const debitEvent = (
  number: number,
  time: number,
  operation: Extract<StatisticEvent, { statsType: 'datadebit' }>['operation'],
  dataDebitKey = 'offer-x',
): StatisticEvent => ({ id: eventId(number), time, statsType: 'datadebit', dataDebitKey, operation });

export const statsOf = (endpoint: string, propertyStats: Record<string, number>, records = 1): Stats[number] => ({
  endpoint,
  records,
  propertyStats,
});
