import { Autocomplete, Button, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { namespaceOf } from '../../../../server/wire/display-name.ts';
import { applications } from '../../api/sharing/access.ts';
import type { ErasureKind } from '../../api/account/erasure.ts';
import { filePage } from '../../api/files/queries.ts';
import { endpoints } from '../../api/queries.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './erasure.module.css';

const texts = m.erasure;
const KIND_OPTIONS = (Object.keys(texts.kinds) as ErasureKind[]).map((value) => ({ value, label: texts.kinds[value] }));
const SEARCH_DELAY_MS = 250;
const SUGGESTIONS_MAX = 20;

interface TargetChoiceProps {
  kind: ErasureKind;
  target: string;
  choose: (kind: ErasureKind, target: string, showsPreview: boolean) => void;
}

export function TargetChoice({ kind, target, choose }: TargetChoiceProps) {
  const [input, setInput] = useState(target);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choose(kind, input.trim(), true);
  };
  return (
    <form className={classes.targetForm} onSubmit={submit}>
      <Select
        label={texts.kind}
        data={KIND_OPTIONS}
        value={kind}
        allowDeselect={false}
        onChange={(nextKind) => choose(nextKind ?? 'namespace', '', false)}
      />
      {kind === 'namespace' && <NamespaceField value={input} change={setInput} />}
      {kind === 'application' && <ApplicationField value={input} change={setInput} />}
      {kind === 'file' && <FileField value={input} change={setInput} />}
      <Button
        type="submit"
        variant="default"
        disabled={kind !== 'everything' && input.trim() === ''}
        style={{ justifySelf: 'start' }}
      >
        {texts.preview}
      </Button>
    </form>
  );
}

interface FieldProps {
  value: string;
  change: (value: string) => void;
}

/** Accepts namespaces without records, so that their remaining traces can be erased. */
function NamespaceField({ value, change }: FieldProps) {
  const query = useQuery(endpoints);
  const names = [...new Set((query.data ?? []).map(({ endpoint }) => namespaceOf(endpoint)))];
  return (
    <Autocomplete
      label={texts.which.namespace}
      description={texts.whichHint.namespace}
      data={names}
      value={value}
      onChange={change}
    />
  );
}

function ApplicationField({ value, change }: FieldProps) {
  const query = useQuery(applications);
  const ids = (query.data ?? []).map(({ item }) => item.application.id);
  return (
    <Autocomplete
      label={texts.which.application}
      description={texts.whichHint.application}
      data={[...new Set(ids)]}
      value={value}
      onChange={change}
    />
  );
}

function FileField({ value, change }: FieldProps) {
  const [search] = useDebouncedValue(value, SEARCH_DELAY_MS);
  const selection = {
    search,
    source: '',
    tag: '',
    kind: undefined,
    folder: '',
    collection: undefined,
    visibleTo: undefined,
    show: 'completed',
    sort: 'name',
    order: 'ascending',
  } as const;
  const query = useQuery(filePage(selection, 0, SUGGESTIONS_MAX));
  const ids = (query.data?.files ?? []).flatMap(({ file }) => file.fileId ?? []);
  return (
    <Autocomplete
      label={texts.which.file}
      description={texts.whichHint.file}
      data={ids}
      filter={({ options }) => options}
      value={value}
      onChange={change}
    />
  );
}
