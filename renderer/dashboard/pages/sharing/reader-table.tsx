import { Link } from 'react-router';
import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { toSentenceCase } from '../../../shared/components/program-names.ts';
import { m } from '../../../shared/messages/texts.ts';
import { useDataNames } from '../../consent/use-data-names.ts';
import { SourceIcon } from '../data/endpoints/endpoint-icon.tsx';
import { createDuplicateNameCheck } from './map-layout.ts';
import classes from './reader-map.module.css';
import type { Reader, ReaderSource } from './readers/reader.ts';
import { sourceName } from './readers/sources.ts';

const words = m.sharing.map;

/** Allows line breaks after slashes rather than within words. */
function addBreakPoints(path: string): string {
  return path.replaceAll('/', '/\u200B');
}

/** Table of who can see what, with a row for each source of each reader. */
export function ReaderTable({ readers }: { readers: readonly Reader[] }) {
  const isDuplicateName = createDuplicateNameCheck(readers);
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
      {readers.map((reader) => (
        <ReaderRows key={reader.key} reader={reader} hasDuplicate={isDuplicateName(reader.name)} />
      ))}
    </table>
  );
}

function ReaderRows({ reader, hasDuplicate }: { reader: Reader; hasDuplicate: boolean }) {
  const { name, kind, sources, sentence, until, to } = reader;
  const rows: readonly (ReaderSource | undefined)[] = sources.length === 0 ? [undefined] : sources;
  return (
    <tbody>
      {rows.map((source, index) => (
        <tr key={source === undefined ? '' : `${source.kind} ${source.id}`}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={rows.length}>
              <Link to={to}>
                <ForeignText>{name}</ForeignText>
              </Link>
              <small>{m.sharing.kinds[kind]}</small>
              {reader.kind === 'consent' && hasDuplicate && (
                <small className={classes.path}>{addBreakPoints(reader.item.debit.dataDebitKey)}</small>
              )}
            </th>
          )}
          {source === undefined ? <td colSpan={2}>{sentence}</td> : <SourceCells source={source} />}
          {index === 0 && (
            <td data-wide rowSpan={rows.length}>
              {toSentenceCase(until)}
            </td>
          )}
        </tr>
      ))}
    </tbody>
  );
}

function SourceCells({ source }: { source: ReaderSource }) {
  const names = useDataNames();
  const { kind, id, extent } = source;
  return (
    <>
      <td>
        {kind === 'endpoint' && <SourceIcon endpoint={id} />} {sourceName(source, names)}
        {kind === 'endpoint' && <small className={classes.path}>{addBreakPoints(id)}</small>}
      </td>
      <td>{extent}</td>
    </>
  );
}
