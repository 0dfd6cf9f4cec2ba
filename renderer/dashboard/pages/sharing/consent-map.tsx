import { isolateText } from '../../../../server/wire/isolation.ts';
import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { Logo } from '../../../shared/components/logo.tsx';
import { MapTableToggle } from '../../../shared/components/map-or-table.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath, sharingPath } from '../../navigation.ts';
import { SourceIcon } from '../data/endpoints/endpoint-icon.tsx';
import classes from './consent-map.module.css';
import {
  type MapTarget,
  type SharingMap,
  listConsentTargets,
  layOutMap,
  createDuplicateNameCheck,
} from './map-layout.ts';
import { debitStatusText } from './status-text.ts';
import { useDataNames } from '../../consent/use-data-names.ts';

const words = m.sharing.map;
const ROW_HEIGHT_PX = 52;

interface ConsentMapProps {
  items: readonly OwnerDebit[];
  now: Date;
  /** True if data is accessible by other means than these consents. */
  hasOtherReaders: boolean;
}

/** Map of who can read what, as a drawing or a table. */
export function ConsentMap({ items, now, hasOtherReaders }: ConsentMapProps) {
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
      {asTable ? (
        <MapTable items={items} now={now} />
      ) : (
        <MapDrawing map={layOutMap(items)} isDuplicateName={createDuplicateNameCheck(items)} />
      )}
      {hasOtherReaders && (
        <Text size="sm" c="dimmed" mt="sm">
          {words.besides}
        </Text>
      )}
    </Section>
  );
}

type Highlight = { side: 'reader' | 'target'; index: number } | undefined;

function MapDrawing({ map, isDuplicateName }: { map: SharingMap; isDuplicateName: (name: string) => boolean }) {
  const { consents, targets, lines, hidden } = map;
  const names = useDataNames();
  const [highlight, setHighlight] = useState<Highlight>();
  const rows = Math.max(consents.length, targets.length);
  const height = rows * ROW_HEIGHT_PX;
  // The shorter column is centred vertically.
  const y = (index: number, count: number): number => (height * (index + 0.5)) / count;
  const isLineHighlighted = ({ from, to }: { from: number; to: number }): boolean =>
    highlight === undefined || (highlight.side === 'reader' ? highlight.index === from : highlight.index === to);
  const isNodeHighlighted = (side: 'reader' | 'target', index: number): boolean =>
    highlight === undefined ||
    (highlight.side === side && highlight.index === index) ||
    lines.some((line) => (side === 'reader' ? line.from : line.to) === index && isLineHighlighted(line));
  const highlightHandlers = (side: 'reader' | 'target', index: number) => ({
    onPointerEnter: () => setHighlight({ side, index }),
    onPointerLeave: () => setHighlight(undefined),
    onFocus: () => setHighlight({ side, index }),
    onBlur: () => setHighlight(undefined),
  });
  return (
    <>
      <div className={classes.legend}>
        <span data-line="fields">{words.fields}</span>
        <span data-line="entire">{words.entire}</span>
      </div>
      <div className={classes.map} role="group" aria-label={words.label} style={{ blockSize: height }}>
        <ul className={classes.side} aria-label={words.who}>
          {consents.map((consent, index) => (
            <li
              key={consent.key}
              {...highlightHandlers('reader', index)}
              data-dim={!isNodeHighlighted('reader', index) || undefined}
            >
              <Link to={sharingPath(consent.key)}>
                <Logo url={consent.logo} name={consent.name} size={28} />
                <span className={classes.label} title={isolateText(consent.name)}>
                  <ForeignText>{consent.name}</ForeignText>
                  {isDuplicateName(consent.name) && <small>{consent.key}</small>}
                </span>
                <VisuallyHidden>
                  {words.sees(consent.targets.map(({ endpoint }) => names.endpoint(endpoint)))}
                </VisuallyHidden>
              </Link>
            </li>
          ))}
        </ul>
        <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {lines.map((line) => {
            const from = y(line.from, consents.length);
            const to = y(line.to, targets.length);
            return (
              <path
                key={`${line.from} ${line.to}`}
                d={`M0 ${from} C50 ${from} 50 ${to} 100 ${to}`}
                data-entire={line.entire || undefined}
                data-dim={!isLineHighlighted(line) || undefined}
                vectorEffect="non-scaling-stroke"
              />
            );
          })}
        </svg>
        <ul className={classes.side} aria-label={words.what}>
          {targets.map((target, index) => (
            <li
              key={target.id}
              {...highlightHandlers('target', index)}
              data-dim={!isNodeHighlighted('target', index) || undefined}
            >
              <TargetLink target={target} readers={target.readers.map((reader) => consents[reader]?.name ?? '')} />
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

function TargetLink({ target, readers }: { target: MapTarget; readers: readonly string[] }) {
  const names = useDataNames();
  const isSource = !target.id.includes('/');
  const title = isSource ? names.namespace(target.id) : names.endpoint(target.id);
  return (
    <Link to={isSource ? `/data?find=${encodeURIComponent(`${target.id}/`)}` : endpointPath(target.id)}>
      <span className={classes.label} title={target.id}>
        {!isSource && <SourceIcon endpoint={target.id} />} {title}
        <small>{isSource ? words.endpoints(target.endpoints.length) : target.id}</small>
      </span>
      <VisuallyHidden>{words.seenBy(readers)}</VisuallyHidden>
    </Link>
  );
}

/** Allows line breaks after slashes rather than within words. */
function addBreakPoints(endpoint: string): string {
  return endpoint.replaceAll('/', '/\u200B');
}

function MapTable({ items, now }: { items: readonly OwnerDebit[]; now: Date }) {
  const isDuplicateName = createDuplicateNameCheck(items);
  const names = useDataNames();
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
        const targets = listConsentTargets(item);
        return (
          <tbody key={item.debit.dataDebitKey}>
            {targets.map((target, index) => (
              <tr key={target.endpoint}>
                {index === 0 && (
                  <th scope="rowgroup" rowSpan={targets.length}>
                    <Link to={sharingPath(item.debit.dataDebitKey)}>
                      <ForeignText>{item.debit.requestClientName}</ForeignText>
                    </Link>
                    {isDuplicateName(item.debit.requestClientName) && (
                      <small>{addBreakPoints(item.debit.dataDebitKey)}</small>
                    )}
                  </th>
                )}
                <td>
                  <SourceIcon endpoint={target.endpoint} /> {names.endpoint(target.endpoint)}
                  <small>{addBreakPoints(target.endpoint)}</small>
                </td>
                <td>{target.entire ? words.every : m.consent.fields(target.fields)}</td>
                {index === 0 && (
                  <td data-wide rowSpan={targets.length}>
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
