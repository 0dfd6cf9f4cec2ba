import { ActionIcon, Button, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconChevronsDown, IconChevronsUp } from '@tabler/icons-react';
import { type FormEvent, useEffect, useState } from 'react';
import classes from './position.module.css';

const GO_FROM = 100;

interface Words {
  range: (from: number, to: number, total: number) => string;
  goTo: string;
  goToLabel: string;
  goToSubmit: string;
  first: string;
  last: string;
}

interface PositionProps {
  from: number;
  to: number;
  total: number;
  /** What is to be said besides. */
  aside?: string | undefined;
  go: (index: number) => void;
  /** Writes the position to the URL when scrolling has stopped. */
  settle: (at: number) => void;
  settled: number;
  words: Words;
}

/** Position in the list, with a control to jump to another one. */
export function Position(props: PositionProps) {
  const { from, to, total, aside, go, settle, settled, words } = props;
  const [text, setText] = useState('');
  const rest = useDebouncedCallback((at: number) => {
    if (at !== settled) settle(at);
  }, 400);
  useEffect(() => rest(from), [rest, from]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = Number(text.replaceAll(/[^\d]/g, ''));
    if (wanted >= 1) go(Math.min(total, wanted) - 1);
    setText('');
  };
  return (
    <div className={classes.position}>
      <Text size="sm" c="dimmed" component="div">
        {words.range(Math.min(from + 1, total), Math.min(to + 1, total), total)}
        {aside !== undefined && ` · ${aside}`}
      </Text>
      {total > GO_FROM && (
        <form onSubmit={submit} className={classes.go}>
          <TextInput
            size="xs"
            inputMode="numeric"
            aria-label={words.goToLabel}
            placeholder={words.goTo}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default" disabled={text === ''}>
            {words.goToSubmit}
          </Button>
          <ActionIcon
            variant="default"
            size={30}
            className={classes.ends ?? ''}
            aria-label={words.first}
            onClick={() => go(0)}
          >
            <IconChevronsUp size={16} stroke={1.6} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={30}
            className={classes.ends ?? ''}
            aria-label={words.last}
            onClick={() => go(total - 1)}
          >
            <IconChevronsDown size={16} stroke={1.6} />
          </ActionIcon>
        </form>
      )}
    </div>
  );
}
