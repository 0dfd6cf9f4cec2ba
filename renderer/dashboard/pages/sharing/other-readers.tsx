import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { Section } from '../../components/page.tsx';
import classes from './sharing-page.module.css';
import type { OtherReader, StopAction } from './use-other-readers.ts';

const words = m.sharing.others;

/** Lists readers that need neither a Data Debit nor an application. */
export function OtherReaders({ readers }: { readers: readonly OtherReader[] }) {
  const [stop, setStop] = useState<StopAction>();
  return (
    <Section title={words.title}>
      <ul className={classes.list}>
        {readers.map((reader) => (
          <ReaderRow key={reader.key} reader={reader} onStop={setStop} />
        ))}
      </ul>
      {stop !== undefined && <StopDialog stop={stop} close={() => setStop(undefined)} />}
    </Section>
  );
}

function ReaderRow({ reader, onStop }: { reader: OtherReader; onStop: (stop: StopAction) => void }) {
  const { icon: ReaderIcon, title, text, to, stop } = reader;
  return (
    <li className={classes.line} data-compact>
      <span className={classes.icon} aria-hidden="true">
        <ReaderIcon size={20} stroke={1.6} />
      </span>
      <div className={classes.words}>
        <Link to={to} className={classes.name ?? ''} data-alone>
          <ForeignText>{title}</ForeignText>
        </Link>
        <span>{text}</span>
      </div>
      {stop !== undefined && (
        <Button
          variant="default"
          size="xs"
          c="var(--stop)"
          className={classes.stop ?? ''}
          aria-label={words.stopLabel(title)}
          onClick={() => onStop(stop)}
        >
          {words.stop}
        </Button>
      )}
    </li>
  );
}

function StopDialog({ stop, close }: { stop: StopAction; close: () => void }) {
  const confirm = async () => {
    await stop.run();
    showToast(stop.done);
  };
  return (
    <ConfirmDialog opened close={close} title={stop.title} keep={stop.keep} submit={stop.submit} onConfirm={confirm}>
      {stop.text}
    </ConfirmDialog>
  );
}
