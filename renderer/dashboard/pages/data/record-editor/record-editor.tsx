import { Button, Group, Tabs, Text } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { useState } from 'react';
import type { Field } from '../../../../shared/api/contract.ts';
import { JsonEditor } from '../../../../shared/form/json-editor.tsx';
import { findJsonProblem } from '../../../../shared/form/json-problem.ts';
import { currentLanguage } from '../../../../shared/format/languages.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { type Draft, hasInvalidInput, startDraft } from './draft.ts';
import { EditForm } from './edit-form.tsx';
import { findFormProblem } from './form-rows.ts';
import { indentJson } from './json-edits.ts';

const texts = m.recordEditor;

export interface EditorContent {
  text: string;
  /** False while an input contains text that is not in the JSON. */
  isComplete: boolean;
}

/** Reason why the editor does not show the other view. */
interface Notice {
  text: string;
  /** Draft for which the notice is shown; undefined if the notice is shown for every draft. */
  draft?: Draft;
}

interface RecordEditorProps {
  initialText: string;
  fields: readonly Field[];
  /** True to show an empty input for each field. Fields that stay empty are not stored. */
  isNew?: boolean;
  jsonLabel: string;
  jsonHint: string;
  minRows: number;
  onChange: (content: EditorContent) => void;
  onSubmit: () => void;
}

export function RecordEditor(props: RecordEditorProps) {
  const { initialText, fields, isNew = false, jsonLabel, jsonHint, minRows, onChange, onSubmit } = props;
  const language = currentLanguage();
  const [preferredView, setPreferredView] = useSessionStorage({
    key: 'pda-record-editor',
    defaultValue: 'form',
    getInitialValueInEffect: false,
  });
  const [initialProblem] = useState(() => findFormProblem(initialText, fields, language));
  const [isForm, setIsForm] = useState(preferredView !== 'json' && initialProblem === undefined);
  const startForm = (text: string): Draft => startDraft(text, isNew ? fields : []);
  const [draft, setDraft] = useState(() => (isForm ? startForm(initialText) : startDraft(initialText)));
  const [notice, setNotice] = useState<Notice | undefined>(
    initialProblem === undefined || initialProblem === 'invalid' ? undefined : { text: texts.problems[initialProblem] },
  );

  const change = (next: Draft) => {
    setDraft(next);
    onChange({ text: next.text, isComplete: !hasInvalidInput(next) });
  };
  /** Switches the view, unless the other view cannot show the whole draft. */
  const show = (view: string | null) => {
    const willBeForm = view === 'form';
    if (willBeForm === isForm) return;
    const formProblem = willBeForm ? findFormProblem(draft.text, fields, language) : undefined;
    if (formProblem !== undefined) setNotice({ text: texts.problems[formProblem], draft });
    else if (!willBeForm && hasInvalidInput(draft)) setNotice({ text: texts.correctFields, draft });
    else {
      setNotice(undefined);
      setDraft(willBeForm ? startForm(draft.text) : startDraft(draft.text));
      setIsForm(willBeForm);
      setPreferredView(willBeForm ? 'form' : 'json');
    }
  };
  return (
    <Tabs value={isForm ? 'form' : 'json'} onChange={show} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="form">{texts.form}</Tabs.Tab>
        <Tabs.Tab value="json">{m.data.endpoint.json}</Tabs.Tab>
      </Tabs.List>
      {notice !== undefined && (notice.draft === undefined || notice.draft === draft) && (
        <Text mb="sm" role="alert">
          {notice.text}
        </Text>
      )}
      <Tabs.Panel value="form">
        <EditForm draft={draft} change={change} language={language} fields={fields} onSubmit={onSubmit} />
      </Tabs.Panel>
      <Tabs.Panel value="json">
        <JsonEditor
          label={jsonLabel}
          hint={jsonHint}
          value={draft.text}
          onChange={(text) => change(startDraft(text))}
          onSubmit={onSubmit}
          minRows={minRows}
        />
        <Group justify="flex-end">
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            c="var(--ink-soft)"
            disabled={findJsonProblem(draft.text) !== undefined}
            onClick={() => change(startDraft(indentJson(draft.text)))}
          >
            {m.data.editor.format}
          </Button>
        </Group>
      </Tabs.Panel>
    </Tabs>
  );
}
