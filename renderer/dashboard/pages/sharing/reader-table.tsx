import { Link } from 'react-router';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { type DataNames, toSentenceCase } from '../../../shared/components/display-names.ts';
import { m } from '../../../shared/messages/texts.ts';
import { useDataNames } from '../../consent/use-data-names.ts';
import { ChosenEndpointIcon } from '../data/endpoints/endpoint-icon.tsx';
import { createDuplicateNameCheck, limitTableSources } from './diagram-layout.ts';
import classes from './reader-diagram.module.css';
import type { Reader, ReaderSource } from './readers/reader.ts';
import { sourceName } from './readers/sources.ts';

const texts = m.sharing.map;

/** Inserts break opportunities after slashes, so that lines break there rather than within names. */
function addBreakPoints(path: string): string {
  return path.replaceAll('/', '/\u200B');
}

export function ReaderTable({ readers }: { readers: readonly Reader[] }) {
  const names = useDataNames();
  const isDuplicateName = createDuplicateNameCheck(readers);
  return (
    <table className={classes.table} aria-label={texts.title}>
      <thead>
        <tr>
          <th scope="col">{texts.who}</th>
          <th scope="col">{texts.what}</th>
          <th scope="col">{texts.extent}</th>
          <th scope="col" className={classes.until} data-hidden-on-phone>
            {texts.until}
          </th>
        </tr>
      </thead>
      {readers.map((reader) => (
        <ReaderRows key={reader.key} reader={reader} hasDuplicate={isDuplicateName(reader.name)} names={names} />
      ))}
    </table>
  );
}

interface ReaderRowsProps {
  reader: Reader;
  hasDuplicate: boolean;
  names: DataNames;
}

function ReaderRows({ reader, hasDuplicate, names }: ReaderRowsProps) {
  const { name, kind, sources, sentence, endText, to } = reader;
  const { listedSources, hiddenCount } = limitTableSources(sources);
  const rows: readonly (ReaderSource | undefined)[] = listedSources.length === 0 ? [undefined] : listedSources;
  const rowCount = rows.length + (hiddenCount === 0 ? 0 : 1);
  return (
    <tbody>
      {rows.map((source, index) => (
        <tr key={source === undefined ? '' : `${source.kind} ${source.id}`}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={rowCount}>
              <Link to={to}>
                <UntrustedText>{name}</UntrustedText>
              </Link>
              <small>{m.sharing.kinds[kind]}</small>
              {reader.kind === 'consent' && hasDuplicate && (
                <small className={classes.path}>{addBreakPoints(reader.item.debit.dataDebitKey)}</small>
              )}
            </th>
          )}
          {source === undefined ? <td colSpan={2}>{sentence}</td> : <SourceCells source={source} names={names} />}
          {index === 0 && (
            <td className={classes.until} data-hidden-on-phone rowSpan={rowCount}>
              {toSentenceCase(endText)}
            </td>
          )}
        </tr>
      ))}
      {hiddenCount > 0 && (
        <tr>
          <td colSpan={2}>
            <Link to={to}>{texts.moreSources(hiddenCount)}</Link>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function SourceCells({ source, names }: { source: ReaderSource; names: DataNames }) {
  const { kind, id, extent } = source;
  return (
    <>
      <td>
        {kind === 'endpoint' && <ChosenEndpointIcon endpoint={id} />} {sourceName(source, names)}
        {kind === 'endpoint' && <small className={classes.path}>{addBreakPoints(id)}</small>}
      </td>
      <td>{extent}</td>
    </>
  );
}
