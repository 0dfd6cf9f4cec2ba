import { Box, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { JsonText, formatJson } from '../../../shared/components/json-text.tsx';
import { CopyIconButton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { curlOf, exampleOf } from './example.ts';
import type { OpenApi, ApiOperation, Parameter } from './openapi.ts';
import classes from './operation.module.css';
import { Prose } from './prose.tsx';
import { SchemaTree, typeName } from './schema-tree.tsx';

const texts = m.settings.api;
const PARAMETER_LOCATIONS = [
  ['path', texts.pathParameters],
  ['query', texts.queryParameters],
  ['header', texts.headerParameters],
  ['cookie', texts.cookieParameters],
] as const;

interface OperationProps {
  doc: OpenApi;
  operation: ApiOperation;
  open: boolean;
  toggle: () => void;
}

export function Operation({ doc, operation, open, toggle }: OperationProps) {
  const Arrow = open ? IconChevronDown : IconChevronRight;
  const root = useRef<HTMLElement>(null);
  const wasInitiallyOpen = useRef(open);
  useEffect(() => {
    if (wasInitiallyOpen.current) root.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <section ref={root} className={classes.operation}>
      <h3 className={classes.heading}>
        <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={toggle}>
          <Arrow size={16} stroke={1.8} aria-hidden="true" />
          <span className={classes.method} data-method={operation.method}>
            {operation.method.toUpperCase()}
          </span>
          <code className={classes.path}>{operation.path}</code>
          <span className={classes.summary}>{operation.summary}</span>
        </UnstyledButton>
      </h3>
      {open && <Details doc={doc} operation={operation} />}
    </section>
  );
}

function Details({ doc, operation }: { doc: OpenApi; operation: ApiOperation }) {
  const curl = curlOf(doc, operation, location.origin);
  const success = operation.responses.find(
    ({ status, type }) => status.startsWith('2') && type?.includes('json') === true,
  );
  return (
    <div className={classes.details}>
      <Box miw={0}>
        {operation.description !== '' && (
          <Text>
            <Prose text={operation.description} />
          </Text>
        )}
        {PARAMETER_LOCATIONS.map(([location, title]) => (
          <Parameters
            key={location}
            doc={doc}
            title={title}
            parameters={operation.parameters.filter((parameter) => parameter.in === location)}
          />
        ))}
        {operation.body !== undefined && (
          <DetailSection title={`${texts.body} · ${operation.body.type}`}>
            {operation.body.description !== '' && (
              <Text>
                <Prose text={operation.body.description} />
              </Text>
            )}
            <SchemaTree doc={doc} schema={operation.body.schema} />
          </DetailSection>
        )}
        <DetailSection title={texts.responses}>
          <ul className={classes.responses}>
            {operation.responses.map((response) => (
              <li key={response.status}>
                <span className={classes.status} data-class={response.status[0]}>
                  {response.status}
                </span>
                <div>
                  <Text>
                    <Prose text={response.description} />
                  </Text>
                  {response.schema !== undefined && response.status.startsWith('2') && (
                    <SchemaTree doc={doc} schema={response.schema} />
                  )}
                </div>
              </li>
            ))}
          </ul>
        </DetailSection>
      </Box>
      <div className={classes.example}>
        <div className={classes.exampleHeader}>
          <PartHeading>{texts.example}</PartHeading>
          <CopyIconButton value={curl} label={texts.copyExample} />
        </div>
        <JsonText text={curl} label={texts.example} plain />
        {success?.schema !== undefined && (
          <>
            <div className={classes.exampleHeader}>
              <PartHeading>{success.status}</PartHeading>
            </div>
            <JsonText text={formatJson(exampleOf(doc, success.schema))} label={`${texts.example} ${success.status}`} />
          </>
        )}
      </div>
    </div>
  );
}

function DetailSection({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Box mt="1.25rem">
      <PartHeading>{title}</PartHeading>
      {children}
    </Box>
  );
}

function Parameters({ doc, title, parameters }: { doc: OpenApi; title: string; parameters: readonly Parameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <DetailSection title={title}>
      <dl className={classes.parameters}>
        {parameters.map((parameter) => (
          <div key={parameter.name}>
            <dt>
              <code>{parameter.name}</code>
            </dt>
            <dd>
              <span>
                {parameter.schema === undefined ? '' : typeName(doc, parameter.schema)}
                {parameter.required === true && <em>{texts.required}</em>}
              </span>{' '}
              <Prose text={parameter.description ?? parameter.schema?.description ?? ''} />
            </dd>
          </div>
        ))}
      </dl>
    </DetailSection>
  );
}

function PartHeading({ children }: { children: string }) {
  return (
    <Text component="h4" fz="xs" fw={500} c="dimmed" mb="0.375rem">
      {children}
    </Text>
  );
}
