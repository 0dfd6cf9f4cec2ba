import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type PreviewSource, preview } from '../../api/debits.ts';
import { m } from '../../messages/texts.ts';
import { type Choices, isFieldOn, narrowingOf } from './choices.ts';
import { Leaving } from './leaving.tsx';
import type { PlainProperty } from './plain-words.ts';
import { Scope, seenFields } from './scope.tsx';
import { StaysHome } from './stays-home.tsx';
import classes from './what-leaves.module.css';

interface WhatLeavesProps {
  properties: readonly PlainProperty[];
  source: PreviewSource;
  choices: Choices;
  /** Without it nothing can be switched. */
  change?: (choices: Choices) => void;
  /** It is shared already. */
  running?: boolean;
}

/** The heart of every consent: what would leave in words, the real records beside it, and what stays home below. */
export function WhatLeaves({ properties, source, choices, change, running = false }: WhatLeavesProps) {
  const narrowing = useMemo(() => narrowingOf(properties, choices), [properties, choices]);
  const asked = useQuery(preview(source, undefined, 0, 3)).data;
  const nothing = properties.every(({ entries }) => entries.every(({ key }) => choices.dropped.has(key)));
  // Nothing is no question to the PDA; what is shown then is what was asked, all of it struck out.
  const now = useQuery({ ...preview(source, narrowing, 0, 3), enabled: !nothing }).data;
  const entries = properties.flatMap((property) => property.entries);
  const fields = entries.flatMap((entry) =>
    (entry.fields?.map(({ name }) => name) ?? seenFields(asked, entry)).map((name) => isFieldOn(choices, entry, name)),
  );
  return (
    <>
      <div className={classes.columns}>
        <section aria-labelledby="would-leave" className={classes.left}>
          <div className={classes.head}>
            <Title order={2} id="would-leave">
              {running ? m.requests.leave.titleRunning : m.requests.leave.title}
            </Title>
            {change !== undefined && fields.length > 0 && (
              <Text size="sm" c="dimmed" role="status">
                {m.requests.leave.chosen(fields.filter(Boolean).length, fields.length)}
              </Text>
            )}
          </div>
          <Scope properties={properties} seen={asked} choices={choices} change={change} />
        </section>
        <div className={classes.right}>
          <Leaving source={source} narrowing={narrowing} nothing={nothing} running={running} />
        </div>
      </div>
      <StaysHome properties={properties} asked={asked} now={nothing ? undefined : now} choices={choices} />
    </>
  );
}
