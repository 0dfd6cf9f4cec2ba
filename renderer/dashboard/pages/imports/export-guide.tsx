import { Text } from '@mantine/core';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './kind-counts.module.css';

const texts = m.imports.how;

export function ExportGuide() {
  return (
    <Section title={texts.title}>
      <Text c="dimmed" maw="42rem" mb="sm">
        {texts.text}
      </Text>
      {texts.sources.map(({ id, name, steps }) => (
        <details key={id} className={`${classes.details} ${classes.guide}`}>
          <summary>{name}</summary>
          <ol>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </details>
      ))}
    </Section>
  );
}
