import { describe, expect, it } from 'vitest';
import type { ServerState } from './server-process.ts';
import { failureWords, trayFace } from './tray-rules.ts';

const RUNNING: ServerState = {
  kind: 'running',
  address: 'http://127.0.0.1:1',
  openUrl: 'http://127.0.0.1:1/#/setup?code=secret',
  pid: 1,
};

describe('the tray', () => {
  it('can open the PDA when it is running, and only then', () => {
    expect(trayFace(RUNNING)).toEqual({ status: 'Running on this computer', canOpen: true });
    for (const kind of ['stopped', 'starting', 'stopping'] as const) expect(trayFace({ kind }).canOpen).toBe(false);
  });

  it('says why nothing runs, and when it will be tried again', () => {
    const waiting: ServerState = { kind: 'waiting', reason: 'it ended with exit code 3', inMs: 3_800, lastLines: [] };
    expect(trayFace(waiting).status).toBe('The server stopped: it ended with exit code 3. Starting again in 4 seconds');
    expect(trayFace({ ...waiting, inMs: 250 }).status).toContain('in 1 second');
    expect(trayFace({ kind: 'failed', reason: 'it was ended by SIGKILL', lastLines: [] }).status).toBe(
      'The server stopped: it was ended by SIGKILL',
    );
  });

  it('never shows the code of the set-up', () => {
    expect(JSON.stringify(trayFace(RUNNING))).not.toContain('secret');
  });
});

describe('the dialog for a server that was given up', () => {
  it('says what happened, what was kept, and the last words as a person reads them', () => {
    const words = failureWords({
      kind: 'failed',
      reason: 'it ended with exit code 1',
      lastLines: [
        '{"level":30,"msg":"opening"}',
        '{"level":60,"msg":"the home is in use by another process"}',
        'Error: plain',
        '{"broken',
      ],
    });
    expect(words.message).toBe('Your PDA is not running');
    expect(words.detail).toContain('it ended with exit code 1. Everything that was saved is still there.');
    expect(words.detail.split('\n').slice(-4)).toEqual([
      'opening',
      'the home is in use by another process',
      'Error: plain',
      '{"broken',
    ]);
  });

  it('stays short', () => {
    const lastLines = Array.from({ length: 50 }, (_, line) => `line ${line}`);
    const { detail } = failureWords({ kind: 'failed', reason: 'x', lastLines });
    expect(detail.split('\n')).toHaveLength(11);
    expect(detail).toContain('line 49');
  });
});
