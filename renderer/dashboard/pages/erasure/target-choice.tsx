import { Autocomplete, Button, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { applications } from '../../api/sharing/access.ts';
import type { ErasureKind } from '../../api/account/erasure.ts';
import { filePage } from '../../api/files/queries.ts';
import { endpoints } from '../../api/queries.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './erasure.module.css';

const words = m.erasure;
const KINDS = (Object.keys(words.kinds) as ErasureKind[]).map((value) => ({ value, label: words.kinds[value] }));
/** Milliseconds of rest after which files are looked for. */
const REST = 250;
const SHOWN = 20;

interface ChoiceProps {
  kind: ErasureKind;
  target: string;
  choose: (kind: ErasureKind, target: string, look: boolean) => void;
}

export function Choice({ kind, target, choose }: ChoiceProps) {
  const [wanted, setWanted] = useState(target);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choose(kind, wanted.trim(), true);
  };
  return (
    <form className={classes.choice} onSubmit={submit}>
      <Select
        label={words.kind}
        data={KINDS}
        value={kind}
        allowDeselect={false}
        onChange={(next) => choose(next ?? 'namespace', '', false)}
      />
      {kind === 'namespace' && <Namespace value={wanted} change={setWanted} />}
      {kind === 'application' && <OfApplication value={wanted} change={setWanted} />}
      {kind === 'file' && <OneFile value={wanted} change={setWanted} />}
      <Button
        type="submit"
        variant="default"
        disabled={kind !== 'everything' && wanted.trim() === ''}
        style={{ justifySelf: 'start' }}
      >
        {words.look}
      </Button>
    </form>
  );
}

interface FieldProps {
  value: string;
  change: (value: string) => void;
}

/** Also of a name by which nothing is found any more: traces of what was there can go. */
function Namespace({ value, change }: FieldProps) {
  const all = useQuery(endpoints);
  const names = [...new Set((all.data ?? []).map(({ endpoint }) => endpoint.slice(0, endpoint.indexOf('/'))))];
  return (
    <Autocomplete
      label={words.which.namespace}
      description={words.whichHint.namespace}
      data={names}
      value={value}
      onChange={change}
    />
  );
}

function OfApplication({ value, change }: FieldProps) {
  const all = useQuery(applications);
  const ids = (all.data ?? []).map(({ item }) => item.application.id);
  return (
    <Autocomplete
      label={words.which.application}
      description={words.whichHint.application}
      data={[...new Set(ids)]}
      value={value}
      onChange={change}
    />
  );
}

function OneFile({ value, change }: FieldProps) {
  const [search] = useDebouncedValue(value, REST);
  const selection = {
    search,
    source: '',
    tag: '',
    kind: undefined,
    show: 'here',
    sort: 'name',
    order: 'ascending',
  } as const;
  const found = useQuery(filePage(selection, 0, SHOWN));
  const ids = (found.data?.files ?? []).flatMap(({ file }) => file.fileId ?? []);
  return (
    <Autocomplete
      label={words.which.file}
      description={words.whichHint.file}
      data={ids}
      filter={({ options }) => options}
      value={value}
      onChange={change}
    />
  );
}
