import { Button } from '@mantine/core';
import { useState } from 'react';
import { JsonText, formatJson } from '../../../../shared/components/json-text.tsx';
import { CopyIconButton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './long-json.module.css';
import { beginning } from './text-excerpt.ts';

interface LongJsonProps {
  value: unknown;
  label: string;
  copyLabel: string;
}

/** JSON that can be of many megabytes: its beginning, and all of it when one asks. */
export function LongJson({ value, label, copyLabel }: LongJsonProps) {
  const [all, setAll] = useState(false);
  const text = formatJson(value);
  const first = beginning(text);
  const cut = first.length < text.length && !all;
  return (
    <div className={classes.box}>
      <div className={classes.copy}>
        <CopyIconButton value={text} label={copyLabel} />
      </div>
      <div className={classes.text}>
        <JsonText text={cut ? first : text} label={label} />
      </div>
      {cut && (
        <Button variant="default" size="xs" mt="xs" onClick={() => setAll(true)}>
          {m.functions.dry.rest(text.length)}
        </Button>
      )}
    </div>
  );
}
