import { Anchor, Group, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useRef } from 'react';
import { m } from '../messages/texts.ts';
import { findJsonProblem } from './json-problem.ts';
import classes from './json-editor.module.css';

const CHECK_DEBOUNCE_MS = 150;
const MAX_ROWS = 32;

interface JsonEditorProps {
  label: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
  onSubmit: () => void;
  minRows?: number;
}

export function JsonEditor({ label, hint, value, onChange, onSubmit, minRows = 12 }: JsonEditorProps) {
  const textarea = useRef<HTMLTextAreaElement>(null);
  const [debouncedText] = useDebouncedValue(value, CHECK_DEBOUNCE_MS);
  const problem = findJsonProblem(debouncedText);
  const goToProblem = () => {
    if (problem === undefined || textarea.current === null) return;
    textarea.current.focus();
    textarea.current.setSelectionRange(problem.offset, Math.min(problem.offset + 1, value.length));
  };
  return (
    <div>
      <Textarea
        ref={textarea}
        label={label}
        description={hint}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            onSubmit();
          }
        }}
        rows={Math.min(MAX_ROWS, Math.max(minRows, value.split('\n').length + 1))}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        wrap="off"
        error={problem !== undefined && debouncedText !== ''}
        classNames={{ input: classes.input ?? '' }}
      />
      <Group gap="sm" mt="xs" mih="1.5rem" role="status" align="baseline">
        {problem !== undefined && debouncedText !== '' && (
          <>
            <Text c="var(--stop)">{m.data.json.at(problem.line, problem.column, problem.problem)}</Text>
            <Anchor component="button" type="button" onClick={goToProblem}>
              {m.data.editor.goToProblem}
            </Anchor>
          </>
        )}
      </Group>
    </div>
  );
}
