import { Anchor, Text, VisuallyHidden } from '@mantine/core';
import { type RefObject, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { MapTableToggle } from '../../../shared/components/map-table-toggle.tsx';
import { type DataNames, summariseNames } from '../../../shared/components/display-names.ts';
import { m } from '../../../shared/messages/texts.ts';
import { Section } from '../../components/page.tsx';
import { useDataNames } from '../../consent/use-data-names.ts';
import { filesPath, PROFILE_PATH } from '../../navigation.ts';
import {
  createDuplicateNameCheck,
  findHighlight,
  layOutDiagram,
  type DiagramHighlight,
  type DiagramSource,
  sourceKey,
} from './diagram-layout.ts';
import classes from './reader-diagram.module.css';
import { ReaderTable } from './reader-table.tsx';
import type { Reader } from './readers/reader.ts';
import { ReaderPicture } from './readers/reader-picture.tsx';
import { sourceName } from './readers/sources.ts';

const texts = m.sharing.map;
const ROW_HEIGHT_PX = 52;

interface ReaderDiagramProps {
  /** Readers with the widest access first. */
  readers: readonly Reader[];
  listHeading: RefObject<HTMLHeadingElement | null>;
}

export function ReaderDiagram({ readers, listHeading }: ReaderDiagramProps) {
  const [query, setQuery] = useSearchParams();
  const isTableShown = query.get('view') === 'table';
  return (
    <Section
      title={texts.title}
      aside={
        <MapTableToggle
          texts={texts}
          isTableShown={isTableShown}
          onChange={(isTable) => setQuery(isTable ? { view: 'table' } : {}, { replace: true })}
        />
      }
    >
      {isTableShown ? (
        <ReaderTable readers={readers} />
      ) : (
        <DiagramDrawing readers={readers} listHeading={listHeading} />
      )}
    </Section>
  );
}

function DiagramDrawing({ readers: allReaders, listHeading }: ReaderDiagramProps) {
  const { shownCount, hiddenCount, sources, lines } = layOutDiagram(allReaders);
  const readers = allReaders.slice(0, shownCount);
  const names = useDataNames();
  const isDuplicateName = createDuplicateNameCheck(allReaders);
  const [highlightedNode, setHighlightedNode] = useState<DiagramHighlight>();
  const highlight = findHighlight(highlightedNode, {
    reader: readers.map(({ key }) => key),
    source: sources.map(sourceKey),
  });
  const rowCount = Math.max(readers.length, sources.length);
  const height = rowCount * ROW_HEIGHT_PX;
  // Each column is spread evenly over the height.
  const y = (index: number, count: number): number => (height * (index + 0.5)) / count;
  const isLineDimmed = ({ from, to }: { from: number; to: number }): boolean =>
    highlight !== undefined && highlight.index !== (highlight.side === 'reader' ? from : to);
  const isNodeDimmed = (side: 'reader' | 'source', index: number): boolean =>
    highlight !== undefined &&
    !(highlight.side === side && highlight.index === index) &&
    !lines.some((line) => (side === 'reader' ? line.from : line.to) === index && !isLineDimmed(line));
  const highlightHandlers = (node: DiagramHighlight) => ({
    onPointerEnter: () => setHighlightedNode(node),
    onPointerLeave: () => setHighlightedNode(undefined),
    onFocus: () => setHighlightedNode(node),
    onBlur: () => setHighlightedNode(undefined),
  });
  return (
    <>
      <div className={classes.legend}>
        <span data-line="fields">{texts.fields}</span>
        <span data-line="entire">{texts.entire}</span>
      </div>
      <div className={classes.diagram} role="group" aria-label={texts.label} style={{ blockSize: height }}>
        <ul className={classes.column} aria-label={texts.who}>
          {readers.map((reader, index) => (
            <li
              key={reader.key}
              {...highlightHandlers({ side: 'reader', key: reader.key })}
              data-dim={isNodeDimmed('reader', index) || undefined}
            >
              <ReaderLink reader={reader} hasDuplicate={isDuplicateName(reader.name)} names={names} />
            </li>
          ))}
        </ul>
        <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {lines.map((line) => {
            const startY = y(line.from, readers.length);
            const endY = y(line.to, sources.length);
            return (
              <path
                key={`${line.from} ${line.to}`}
                d={`M0 ${startY} C50 ${startY} 50 ${endY} 100 ${endY}`}
                data-entire={line.isEntire || undefined}
                data-dim={isLineDimmed(line) || undefined}
                vectorEffect="non-scaling-stroke"
              />
            );
          })}
        </svg>
        <ul className={classes.column} aria-label={texts.what}>
          {sources.map((source, index) => (
            <li
              key={sourceKey(source)}
              {...highlightHandlers({ side: 'source', key: sourceKey(source) })}
              data-dim={isNodeDimmed('source', index) || undefined}
            >
              <SourceLink source={source} readers={readers} names={names} />
            </li>
          ))}
        </ul>
      </div>
      {hiddenCount > 0 && (
        <Text c="dimmed" mt="sm">
          {texts.hidden(hiddenCount)}{' '}
          <Anchor component="button" type="button" onClick={() => listHeading.current?.focus()}>
            {texts.toList}
          </Anchor>
        </Text>
      )}
    </>
  );
}

interface ReaderLinkProps {
  reader: Reader;
  hasDuplicate: boolean;
  names: DataNames;
}

function ReaderLink({ reader, hasDuplicate, names }: ReaderLinkProps) {
  const { name, kind, sources, to } = reader;
  return (
    <Link to={to}>
      <ReaderPicture reader={reader} size={28} />
      <span className={classes.label} title={isolateText(name)}>
        <UntrustedText>{name}</UntrustedText>
        {reader.kind === 'consent' && hasDuplicate ? (
          <small className={classes.path}>{reader.item.debit.dataDebitKey}</small>
        ) : (
          <small>{m.sharing.kinds[kind]}</small>
        )}
      </span>
      {sources.length > 0 && (
        <VisuallyHidden>
          {texts.sees(summariseNames(sources.map((source) => sourceName(source, names))))}
        </VisuallyHidden>
      )}
    </Link>
  );
}

function sourcePath({ kind, id }: DiagramSource): string {
  switch (kind) {
    case 'namespace':
      return `/data?find=${encodeURIComponent(`${id}/`)}`;
    case 'files':
      return filesPath();
    case 'profile':
      return PROFILE_PATH;
    case 'records':
    case 'others':
      return '/data';
  }
}

/** Names the shared endpoints of a namespace. Returns undefined for other sources. */
function endpointsText({ kind, includesAllEndpoints, endpoints }: DiagramSource, names: DataNames): string | undefined {
  if (kind !== 'namespace') return undefined;
  return includesAllEndpoints ? texts.allEndpoints : summariseNames(endpoints.map(names.endpoint));
}

interface SourceLinkProps {
  source: DiagramSource;
  readers: readonly Reader[];
  names: DataNames;
}

function SourceLink({ source, readers, names }: SourceLinkProps) {
  const { kind, id, count } = source;
  const title = kind === 'others' ? texts.moreSources(count) : sourceName({ kind, id }, names);
  const details = endpointsText(source, names);
  const readerNames = [...source.readers.keys()].map((index) => isolateText(readers[index]?.name ?? ''));
  return (
    <Link to={sourcePath(source)}>
      <span className={classes.label} title={title}>
        {title}
        {details !== undefined && <small>{details}</small>}
      </span>
      <VisuallyHidden>{texts.seenBy(summariseNames(readerNames))}</VisuallyHidden>
    </Link>
  );
}
