import { Anchor, Button } from '@mantine/core';
import {
  type Icon,
  IconChartBar,
  IconLink,
  IconMathFunction,
  IconTable,
  IconUser,
  IconWorld,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { ForeignText } from '../../../../shared/components/foreign-text.tsx';
import { Logo } from '../../../../shared/components/logo.tsx';
import { toSentenceCase } from '../../../../shared/components/program-names.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { applicationPath } from '../../../navigation.ts';
import { StopApplicationDialog } from '../../applications/stop-dialog.tsx';
import { LeaveDialog } from '../../contracts/leave-dialog.tsx';
import { ConsentRow } from '../consent-row.tsx';
import classes from '../sharing-page.module.css';
import { endAccess } from './end-access.ts';
import type { Reader, StopConfirmation } from './reader.ts';

const words = m.sharing;

/** A reader whose end is confirmed in a dialog. Consents end at once, with an offer to undo it. */
type ConfirmedReader = Exclude<Reader, { kind: 'consent' }>;

const ICONS: Record<Exclude<ConfirmedReader['kind'], 'application' | 'contract'>, Icon> = {
  function: IconMathFunction,
  person: IconUser,
  table: IconTable,
  chart: IconChartBar,
  link: IconLink,
  public: IconWorld,
};

/** Lists readers of all kinds in the given order: who, what, until when, and a button that ends the access. */
export function ReaderList({ readers, now }: { readers: readonly Reader[]; now: Date }) {
  const [ending, setEnding] = useState<ConfirmedReader>();
  return (
    <>
      <ul className={classes.list}>
        {readers.map((reader) =>
          reader.kind === 'consent' ? (
            <ConsentRow key={reader.key} item={reader.item} now={now} showKind />
          ) : (
            <ReaderRow key={reader.key} reader={reader} onStop={() => setEnding(reader)} />
          ),
        )}
      </ul>
      {ending !== undefined && <StopDialog reader={ending} close={() => setEnding(undefined)} />}
    </>
  );
}

function ReaderRow({ reader, onStop }: { reader: ConfirmedReader; onStop: () => void }) {
  const { name, sentence, until, to } = reader;
  return (
    <li className={classes.line} data-compact>
      <ReaderPicture reader={reader} />
      <div className={classes.words}>
        <div className={classes.heading}>
          <Link to={to} className={classes.name ?? ''} data-alone>
            <ForeignText>{name}</ForeignText>
          </Link>
          <small className={classes.kind}>{words.kinds[reader.kind]}</small>
        </div>
        <span>{sentence}</span>
        {reader.kind === 'application' && (
          <Anchor
            component={Link}
            to={applicationPath(reader.application.item.application.id, 'view')}
            size="sm"
            className={classes.view ?? ''}
            aria-label={words.readers.viewLabel(name)}
          >
            {words.readers.view}
          </Anchor>
        )}
        <span className={classes.soft}>{toSentenceCase(until)}</span>
      </div>
      <Button
        variant="default"
        size="xs"
        c="var(--stop)"
        className={classes.stop ?? ''}
        aria-label={'stop' in reader ? reader.stop.label : words.readers.stopLabel(name)}
        onClick={onStop}
      >
        {'stop' in reader ? words.others.stop : words.readers.stop}
      </Button>
    </li>
  );
}

function ReaderPicture({ reader }: { reader: ConfirmedReader }) {
  if (reader.kind === 'application') {
    const { logo } = reader.application.item.application.info.graphics;
    return <Logo url={logo.normal} name={reader.name} size={36} />;
  }
  if (reader.kind === 'contract') return <Logo url={undefined} name={reader.name} size={36} />;
  const ReaderIcon = ICONS[reader.kind];
  return (
    <span className={classes.icon} aria-hidden="true">
      <ReaderIcon size={20} stroke={1.6} />
    </span>
  );
}

function StopDialog({ reader, close }: { reader: ConfirmedReader; close: () => void }) {
  if (reader.kind === 'application')
    return <StopApplicationDialog application={reader.application} opened close={close} />;
  if (reader.kind === 'contract') return <LeaveDialog contract={reader.contract} opened close={close} />;
  return <ConfirmStopDialog stop={reader.stop} close={close} />;
}

function ConfirmStopDialog({ stop, close }: { stop: StopConfirmation; close: () => void }) {
  const { title, keep, submit, text } = stop;
  const confirm = async () => {
    await endAccess(stop.access);
    showToast(stop.done);
  };
  return (
    <ConfirmDialog opened close={close} title={title} keep={keep} submit={submit} onConfirm={confirm}>
      {text}
    </ConfirmDialog>
  );
}
