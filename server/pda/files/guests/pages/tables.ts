import { escapeHtml } from '../../../../wire/html.ts';
import { SHARED_CELL_MAX_CHARS, SHARED_CSV_MAX_RECORDS } from '../../../../wire/limits.ts';
import type { SharedColumn } from '../../../../wire/shared-views.ts';
import type { TableCell } from '../../../sharing/shared-views/index.ts';
import { numberText } from '../../page-format.ts';
import { guestPage, messagePage, type FrameParts } from './frame.ts';
import { allContentLink, downloadLinkWith, pageLinks, viewPath } from './lists.ts';
import { cellText } from './view-format.ts';
import { VIEW_TEXTS } from './view-texts.ts';

type TableContent = {
  sharedViewId: string;
  name: string;
  columns: readonly SharedColumn[];
  rows: readonly (readonly TableCell[])[];
  total: number;
  skip: number;
  page: number;
  hasMore: boolean;
};

/** `head` and `body`: escaped HTML of rows. */
export const scrollingTable = ({ name, head, body }: { name: string; head: string; body: string }): string =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(name)}"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`;

const cellHtml = (cell: TableCell, { type }: SharedColumn, { language }: FrameParts): string => {
  const text = escapeHtml(cellText(cell, { type, maxChars: SHARED_CELL_MAX_CHARS, language }));
  if (cell.is === 'number') return `<td class="number">${text}</td>`;
  if (cell.is === 'object') return `<td class="secondary">${text}</td>`;
  return `<td><bdi>${text}</bdi></td>`;
};

const tableHtml = ({ name, columns, rows }: TableContent, frame: FrameParts): string =>
  scrollingTable({
    name,
    head: `<tr>${columns
      .map((column, index) => {
        const isNumeric = rows.some((cells) => cells[index]?.is === 'number');
        return `<th scope="col"${isNumeric ? ' class="number"' : ''}><bdi>${escapeHtml(column.name)}</bdi></th>`;
      })
      .join('')}</tr>`,
    body: rows
      .map(
        (cells) =>
          `<tr>${columns.map((column, i) => cellHtml(cells[i] ?? { is: 'empty' }, column, frame)).join('')}</tr>`,
      )
      .join(''),
  });

export const tablePage = (frame: FrameParts, content: TableContent): string => {
  const { language } = frame;
  const texts = VIEW_TEXTS[language];
  const { sharedViewId, name, rows, total, skip, page, hasMore } = content;
  const path = viewPath('table', sharedViewId);
  const format = (value: number): string => numberText(value, language);
  const csv =
    total > SHARED_CSV_MAX_RECORDS
      ? `<p class="secondary">${texts.noCsv(format(SHARED_CSV_MAX_RECORDS))}</p>`
      : downloadLinkWith(texts.csv, `${path}/csv`, frame.isPreview);
  const hasRows = rows.length > 0;
  return guestPage(
    { ...frame, current: 'files' },
    {
      title: name,
      isWide: true,
      body: [
        `<h1><bdi>${escapeHtml(name)}</bdi></h1>`,
        hasRows
          ? `<p class="secondary">${texts.records(format(skip + 1), format(skip + rows.length), format(total))}</p>${tableHtml(content, frame)}`
          : `<p class="notice">${page === 1 ? texts.noRecords : texts.noRecordsHere}</p>`,
        pageLinks({ page, hasMore }, (number) => `${path}?page=${number}`, {
          newer: texts.previous,
          older: texts.next,
        }),
        total > 0 ? csv : '',
        allContentLink(language),
      ].join('\n'),
    },
  );
};

export const viewProblemPage = (frame: FrameParts, problem: 'missing' | 'tooLarge' | 'busy'): string => {
  const texts = VIEW_TEXTS[frame.language];
  return messagePage(frame, texts[`${problem}Title`], texts[problem], allContentLink(frame.language));
};
