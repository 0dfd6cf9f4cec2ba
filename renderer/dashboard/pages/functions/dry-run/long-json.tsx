import { Button } from '@mantine/core';
import { useState } from 'react';
import { CopyableJson, JsonText, formatJson } from '../../../../shared/components/json-text.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './long-json.module.css';
import { firstLines } from './text-excerpt.ts';

interface LongJsonProps {
  value: unknown;
  label: string;
  copyLabel: string;
}

/** Shows the first lines of a JSON value, which can be many megabytes long. A button shows the whole value. */
export function LongJson({ value, label, copyLabel }: LongJsonProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  const text = formatJson(value);
  const excerpt = firstLines(text);
  const isTruncated = excerpt.length < text.length && !isExpanded;
  return (
    <CopyableJson text={text} copyLabel={copyLabel}>
      <div className={classes.text}>
        <JsonText text={isTruncated ? excerpt : text} label={label} />
      </div>
      {isTruncated && (
        <Button variant="default" size="xs" mt="xs" onClick={() => setIsExpanded(true)}>
          {m.functions.dry.showAll(text.length)}
        </Button>
      )}
    </CopyableJson>
  );
}
