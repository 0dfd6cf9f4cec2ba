import { type Icon, IconArrowBackUp, IconBan, IconCircleCheck, IconCircleX, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { FunctionRun } from '../../../../shared/api/contract.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes, number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { runPath } from '../../../navigation.ts';
import classes from './runs-table.module.css';
import { type RunStatus, runStatusOf, outcomeText } from '../function-text.ts';

const texts = m.functions.runs;

const ICONS: Record<RunStatus, Icon> = {
  running: IconPlayerPlay,
  done: IconCircleCheck,
  undone: IconArrowBackUp,
  stopped: IconBan,
  failed: IconCircleX,
};

export function RunOutcome({ run }: { run: FunctionRun }) {
  const status = runStatusOf(run);
  const StatusIcon = ICONS[status];
  return (
    <span className={classes.outcome} data-status={status}>
      <StatusIcon size={16} stroke={1.6} aria-hidden="true" />
      <span>{status === 'undone' ? texts.undone : outcomeText(run)}</span>
    </span>
  );
}

/** Shows the period of the data that a run reads. */
export function RunWindow({ fromDate, untilDate }: FunctionRun['window']) {
  return (
    <>
      {fromDate === null ? m.functions.dry.fromBeginning : <RelativeTime at={fromDate} />} –{' '}
      <RelativeTime at={untilDate} />
    </>
  );
}

export function RunsTable({ runs }: { runs: readonly FunctionRun[] }) {
  return (
    <table className={classes.table} aria-label={texts.label}>
      <thead>
        <tr>
          <th scope="col">{texts.columns.when}</th>
          <th scope="col">{m.functions.dry.outcome}</th>
          <th scope="col" data-hidden-on-tablet>
            {m.functions.run.reason}
          </th>
          <th scope="col" data-number data-hidden-on-phone>
            {m.functions.dry.read}
          </th>
          <th scope="col" data-number>
            {m.functions.run.stored}
          </th>
          <th scope="col" data-number data-hidden-on-phone>
            {m.functions.dry.duration}
          </th>
          <th scope="col" data-number data-hidden-on-tablet>
            {texts.columns.memory}
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.runId}>
            <th scope="row">
              <Link to={runPath(run.functionId, run.runId)} preventScrollReset data-list-item>
                <RelativeTime at={run.started} />
              </Link>
            </th>
            <td>
              <RunOutcome run={run} />
            </td>
            <td data-hidden-on-tablet>{texts.reasons[run.reason]}</td>
            <td data-number data-hidden-on-phone>
              {number(run.recordsIn)}
            </td>
            <td data-number>{number(run.recordsOut)}</td>
            <td data-number data-hidden-on-phone>
              {run.durationMs === null ? '' : m.functions.runDuration(run.durationMs)}
            </td>
            <td data-number data-hidden-on-tablet>
              {run.peakMemoryBytes === null ? '' : bytes(run.peakMemoryBytes)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
