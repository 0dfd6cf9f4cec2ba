import { Text } from '@mantine/core';
import { IconDatabaseImport, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { ImportJob } from '../../../shared/api/contract.ts';
import { imports } from '../../api/queries.ts';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { importPath } from '../../navigation.ts';
import { ExportGuide } from './export-guide.tsx';
import classes from './imports-page.module.css';
import { useImportFiles } from './use-import-files.ts';

const texts = m.imports;

export function ImportsPage() {
  const importFiles = useImportFiles();
  const jobs = useQuery(imports);
  return (
    <Page title={texts.choose.title} lead={texts.choose.text} crumbs={[{ label: m.data.pageTitle, to: '/data' }]}>
      {/* The whole Data section accepts drops. This element makes that visible and keyboard-accessible. */}
      <label className={classes.dropZone}>
        <input
          type="file"
          multiple
          aria-label={texts.choose.button}
          onChange={(event) => {
            void importFiles([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
        <IconDatabaseImport size={32} stroke={1.25} aria-hidden="true" />
        <span className={classes.dropTitle}>{texts.choose.drop}</span>
        <span className={classes.dropHint}>{texts.choose.hint}</span>
      </label>
      <ExportGuide />
      <Section title={texts.list.title}>
        <QueryBoundary query={jobs} />
        {jobs.data !== undefined && jobs.data.length === 0 && (
          <Text c="dimmed" className={classes.emptyNotice}>
            <IconHistory size={18} stroke={1.5} aria-hidden="true" />
            {texts.list.emptyText}
          </Text>
        )}
        {jobs.data !== undefined && jobs.data.length > 0 && <Jobs jobs={jobs.data} />}
      </Section>
    </Page>
  );
}

function Jobs({ jobs }: { jobs: readonly ImportJob[] }) {
  return (
    <table className={classes.table} aria-label={texts.list.label}>
      <thead>
        <tr>
          <th scope="col">{texts.list.file}</th>
          <th scope="col">{texts.list.state}</th>
          <th scope="col" data-number>
            {texts.list.records}
          </th>
          <th scope="col" data-hidden-on-phone>
            {texts.list.when}
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.importId} data-state={job.state}>
            <th scope="row">
              <Link to={importPath(job.importId)} data-list-item>
                {job.fileName}
              </Link>
              {job.endpoint !== null && <small>{job.endpoint}</small>}
            </th>
            <td>
              <span className={classes.state}>{texts.states[job.state]}</span>
            </td>
            <td data-number>{job.started === null ? '' : number(job.added)}</td>
            <td data-hidden-on-phone>
              <RelativeTime at={job.created} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
