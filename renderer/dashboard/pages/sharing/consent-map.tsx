import { isolated } from '../../../../server/wire/isolation.ts';
import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { Logo } from '../../../shared/components/logo.tsx';
import { endpointName } from '../../../shared/components/program-names.ts';
import { MapTableToggle } from '../../../shared/components/map-or-table.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath, sharingPath } from '../../navigation.ts';
import classes from './consent-map.module.css';
import { type MapPlace, type SharingMap, consentPlaces, layOut, sharedNames } from './map-layout.ts';
import { debitStatusText } from './status-text.ts';

const words = m.sharing.map;
/** Pixels. */
const ROW = 52;

interface ConsentMapProps {
  items: readonly OwnerDebit[];
  now: Date;
  /** True if data is accessible by other means than these consents. */
  besides: boolean;
}

/** Who can see what: as a picture, and the same as a table. */
export function ConsentMap({ items, now, besides }: ConsentMapProps) {
  const [query, setQuery] = useSearchParams();
  const asTable = query.get('view') === 'table';
  return (
    <Section
      title={words.title}
      aside={
        <MapTableToggle
          words={words}
          asTable={asTable}
          choose={(table) => setQuery(table ? { view: 'table' } : {}, { replace: true })}
        />
      }
    >
      {asTable ? <MapTable items={items} now={now} /> : <Picture map={layOut(items)} isShared={sharedNames(items)} />}
      {besides && (
        <Text size="sm" c="dimmed" mt="sm">
          {words.besides}
        </Text>
      )}
    </Section>
  );
}

type Pointed = { side: 'who' | 'what'; at: number } | undefined;

function Picture({ map, isShared }: { map: SharingMap; isShared: (name: string) => boolean }) {
  const { consents, places, lines, hidden } = map;
  const [pointed, setPointed] = useState<Pointed>();
  const rows = Math.max(consents.length, places.length);
  const height = rows * ROW;
  // The shorter column stands in the middle of the longer one.
  const y = (at: number, of: number): number => (height * (at + 0.5)) / of;
  const isLit = ({ from, to }: { from: number; to: number }): boolean =>
    pointed === undefined || (pointed.side === 'who' ? pointed.at === from : pointed.at === to);
  const nodeLit = (side: 'who' | 'what', at: number): boolean =>
    pointed === undefined ||
    (pointed.side === side && pointed.at === at) ||
    lines.some((line) => (side === 'who' ? line.from : line.to) === at && isLit(line));
  const point = (side: 'who' | 'what', at: number) => ({
    onPointerEnter: () => setPointed({ side, at }),
    onPointerLeave: () => setPointed(undefined),
    onFocus: () => setPointed({ side, at }),
    onBlur: () => setPointed(undefined),
  });
  return (
    <>
      <div className={classes.legend}>
        <span data-line="fields">{words.fields}</span>
        <span data-line="entire">{words.entire}</span>
      </div>
      <div className={classes.map} role="group" aria-label={words.label} style={{ blockSize: height }}>
        <ul className={classes.side} aria-label={words.who}>
          {consents.map((consent, at) => (
            <li key={consent.key} {...point('who', at)} data-dim={!nodeLit('who', at) || undefined}>
              <Link to={sharingPath(consent.key)}>
                <Logo url={consent.logo} name={consent.name} size={28} />
                <span className={classes.label} title={isolated(consent.name)}>
                  <ForeignText>{consent.name}</ForeignText>
                  {isShared(consent.name) && <small>{consent.key}</small>}
                </span>
                <VisuallyHidden>
                  {words.sees(consent.places.map(({ endpoint }) => endpointName(endpoint)))}
                </VisuallyHidden>
              </Link>
            </li>
          ))}
        </ul>
        <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {lines.map((line) => {
            const from = y(line.from, consents.length);
            const to = y(line.to, places.length);
            return (
              <path
                key={`${line.from} ${line.to}`}
                d={`M0 ${from} C50 ${from} 50 ${to} 100 ${to}`}
                data-entire={line.entire || undefined}
                data-dim={!isLit(line) || undefined}
                vectorEffect="non-scaling-stroke"
              />
            );
          })}
        </svg>
        <ul className={classes.side} aria-label={words.what}>
          {places.map((place, at) => (
            <li key={place.id} {...point('what', at)} data-dim={!nodeLit('what', at) || undefined}>
              <PlaceLink place={place} names={place.seenBy.map((by) => consents[by]?.name ?? '')} />
            </li>
          ))}
        </ul>
      </div>
      {hidden > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {words.hidden(hidden)}
        </Text>
      )}
    </>
  );
}

function PlaceLink({ place, names }: { place: MapPlace; names: readonly string[] }) {
  const isSource = !place.id.includes('/');
  const title = isSource ? place.id : endpointName(place.id);
  return (
    <Link to={isSource ? `/data?find=${encodeURIComponent(`${place.id}/`)}` : endpointPath(place.id)}>
      <span className={classes.label} title={place.id}>
        {title}
        <small>{isSource ? words.endpoints(place.endpoints.length) : place.id}</small>
      </span>
      <VisuallyHidden>{words.seenBy(names)}</VisuallyHidden>
    </Link>
  );
}

/** Breaks after its slashes rather than within a word. */
function breakable(endpoint: string): string {
  return endpoint.replaceAll('/', '/\u200B');
}

function MapTable({ items, now }: { items: readonly OwnerDebit[]; now: Date }) {
  const isShared = sharedNames(items);
  return (
    <table className={classes.table} aria-label={words.title}>
      <thead>
        <tr>
          <th scope="col">{words.who}</th>
          <th scope="col">{words.what}</th>
          <th scope="col">{words.extent}</th>
          <th scope="col" data-wide>
            {words.until}
          </th>
        </tr>
      </thead>
      {items.map((item) => {
        const places = consentPlaces(item);
        return (
          <tbody key={item.debit.dataDebitKey}>
            {places.map((place, at) => (
              <tr key={place.endpoint}>
                {at === 0 && (
                  <th scope="rowgroup" rowSpan={places.length}>
                    <Link to={sharingPath(item.debit.dataDebitKey)}>
                      <ForeignText>{item.debit.requestClientName}</ForeignText>
                    </Link>
                    {isShared(item.debit.requestClientName) && <small>{breakable(item.debit.dataDebitKey)}</small>}
                  </th>
                )}
                <td>
                  {endpointName(place.endpoint)}
                  <small>{breakable(place.endpoint)}</small>
                </td>
                <td>{place.entire ? words.every : m.consent.fields(place.fields)}</td>
                {at === 0 && (
                  <td data-wide rowSpan={places.length}>
                    {debitStatusText(item, now)}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        );
      })}
    </table>
  );
}
