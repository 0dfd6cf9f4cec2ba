import { describe, expect, it } from 'vitest';
import type { DesktopStatus } from '../../server/wire/desktop.ts';
import { failureText } from './failure-text-rules.ts';
import { aStand, EXPOSURE_STATES } from './desktop-status.test-support.ts';
import type { ServerState } from '../server/process.ts';
import { trayFace, type TrayFace } from './tray-rules.ts';
import type { UpdateState } from '../updates/update-flow.ts';

const RUNNING: ServerState = {
  kind: 'running',
  address: 'http://127.0.0.1:1',
  openUrl: 'http://127.0.0.1:1/#/setup?code=secret',
  pid: 1,
};
const faceOf = (status: Partial<DesktopStatus> | null): TrayFace =>
  trayFace(RUNNING, status === null ? null : aStand(status), false);
const wordsOf = ({ items }: TrayFace): string[] => items.flatMap((item) => (item.kind === 'words' ? [item.label] : []));
const commandsOf = ({ items }: TrayFace): string[] =>
  items.flatMap((item) => (item.kind === 'command' ? [item.command] : []));
const publicAddress = 'https://ada.pda.example';

describe('the tray', () => {
  it('shows pending requests first, then reachability, then paused functions', () => {
    const face = faceOf({
      requestsWaiting: 2,
      exposure: { state: 'reachable', address: publicAddress, readableBy: null },
      functionsPaused: true,
    });
    expect(wordsOf(face)).toEqual(['2 requests waiting', 'Public at ada.pda.example', 'Functions paused']);
    expect(face.tooltip).toBe('Personal Data Account: 2 requests waiting, Public at ada.pda.example, Functions paused');
    expect(commandsOf(face)).toEqual([
      'open',
      'requests',
      'go-dark',
      'resume-functions',
      'launch-at-login',
      'update',
      'quit',
    ]);
  });

  it('shows backup problems after requests, with a command', () => {
    expect(wordsOf(faceOf({ requestsWaiting: 1, backup: 'old' }))).toEqual([
      '1 request waiting',
      'The latest backup is overdue',
      'Private: reachable only from this computer',
    ]);
    for (const backup of ['never', 'old', 'damaged'] as const) {
      const face = faceOf({ backup });
      expect(face.tooltip).toContain('backup');
      expect(commandsOf(face).slice(0, 2)).toEqual(['open', 'backups']);
    }
    for (const backup of ['none', 'well'] as const) {
      expect(JSON.stringify(faceOf({ backup }))).not.toContain('backup');
    }
  });

  it.each(EXPOSURE_STATES)('has a text for a PDA whose address is %s', (state) => {
    const otherStates = EXPOSURE_STATES.filter(
      (otherState) =>
        otherState !== state &&
        !(state === 'unproven' && otherState === 'reachable') &&
        !(state === 'reachable' && otherState === 'unproven'),
    );
    const readerIn = (exposureState: string): string | null => (exposureState === 'readable' ? 'lt.example' : null);
    const [line] = wordsOf(faceOf({ exposure: { state, address: publicAddress, readableBy: readerIn(state) } }));
    for (const other of otherStates)
      expect(
        wordsOf(faceOf({ exposure: { state: other, address: publicAddress, readableBy: readerIn(other) } }))[0],
      ).not.toBe(line);
  });

  it('offers to go dark only if reachable, and the way back if dark', () => {
    const commands = (state: DesktopStatus['exposure']['state']): string[] =>
      commandsOf(faceOf({ exposure: { state, address: publicAddress, readableBy: null } })).filter((command) =>
        command.startsWith('go-'),
      );
    expect(commands('off')).toEqual([]);
    expect(commands('reachable')).toEqual(['go-dark']);
    expect(commands('connecting')).toEqual(['go-dark']);
    expect(commands('dark')).toEqual(['go-light']);
  });

  it('names a host that can read the traffic', () => {
    const exposureLine = (state: DesktopStatus['exposure']['state'], address: string | null): string | undefined =>
      wordsOf(faceOf({ exposure: { state, address, readableBy: 'lt.example' } }))[0];
    for (const state of ['readable', 'unproven'] as const)
      expect(exposureLine(state, 'https://ada.lt.example')).toBe('Readable by lt.example: public at ada.lt.example');
    expect(exposureLine('connecting', null)).toBe('Offline: connecting to lt.example');
    expect(exposureLine('refused', null)).toBe('Offline: lt.example refused the name of this PDA');
  });

  it('shows that it runs before the first status', () => {
    expect(wordsOf(faceOf(null))).toEqual(['Running on this computer']);
  });

  it('shows why the server is down, when it restarts, and a retry command', () => {
    const waiting: ServerState = { kind: 'waiting', reason: 'it exited with code 3', inMs: 3_800, lastLines: [] };
    const face = trayFace(waiting, null, null);
    expect(wordsOf(face)).toEqual(['The server stopped: it exited with code 3. Restarting in 4 seconds']);
    expect(commandsOf(face)).toEqual(['open', 'try-again', 'update', 'quit']);
    expect(wordsOf(trayFace({ ...waiting, inMs: 250 }, null, null))[0]).toContain('in 1 second');
    expect(wordsOf(trayFace({ kind: 'failed', reason: 'x', lastLines: [] }, null, null))).toEqual([
      'The server stopped: x',
    ]);
    for (const kind of ['starting', 'stopping'] as const)
      expect(commandsOf(trayFace({ kind }, null, null))).toEqual(['open', 'update', 'quit']);
  });

  it('shows the progress of an update, without offering to start the server', () => {
    const face = (update: UpdateState): TrayFace => trayFace({ kind: 'stopped' }, null, null, update);
    const version = '1.2.3';
    expect(commandsOf(face({ kind: 'newest' }))).toEqual(['open', 'try-again', 'update', 'quit']);
    expect(wordsOf(face({ kind: 'checking' }))).toContain('Checking for updates');
    expect(wordsOf(face({ kind: 'loading', version, percent: 7 }))).toContain('Downloading version 1.2.3');
    expect(face({ kind: 'ready', version }).items).toContainEqual({
      kind: 'command',
      command: 'update',
      label: 'Install version 1.2.3…',
    });
    for (const kind of ['preparing', 'installing'] as const) {
      expect(wordsOf(face({ kind, version }))).toEqual([
        'Stopped for the update to version 1.2.3',
        'Installing version 1.2.3',
      ]);
      expect(commandsOf(face({ kind, version }))).toEqual(['open', 'quit']);
    }
  });

  it('never shows the set-up code and limits the length', () => {
    expect(JSON.stringify(faceOf(null))).not.toContain('secret');
    const reason = 'x'.repeat(1_000);
    const face = trayFace({ kind: 'failed', reason, lastLines: [] }, null, null);
    expect(face.tooltip.length).toBeLessThanOrEqual(120);
    expect(wordsOf(face)[0]?.length).toBeLessThanOrEqual(100);
  });
});

describe('the text for a stopped server', () => {
  it('explains the failure, says that the data is safe, and shows the last log messages', () => {
    const { title, text, lines } = failureText({
      kind: 'failed',
      reason: 'it exited with code 1',
      lastLines: ['{"level":30,"msg":"opening"}', 'Error: plain', '{"broken'],
    });
    expect(title).toBe('Your PDA is not running');
    expect(text[0]).toContain('it exited with code 1. All saved data is safe.');
    expect(lines).toEqual(['opening', 'Error: plain', '{"broken']);
  });

  it('explains a home that is in use', () => {
    const { text, lines } = failureText({
      kind: 'failed',
      reason: 'Another process is using /home/ada/pda. Stop it first, or use its dashboard',
      lastLines: ['Another process is using /home/ada/pda.'],
      problem: 'in_use',
    });
    expect(text[0]).toBe('Another process is using /home/ada/pda. Stop it first, or use its dashboard.');
    expect(text[1]).toContain('command line');
    expect(lines).toEqual([]);
  });

  it('is limited in length', () => {
    const lastLines = Array.from({ length: 50 }, (_, line) => `line ${line}`);
    const { lines } = failureText({ kind: 'failed', reason: 'x', lastLines });
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe('line 49');
  });
});
