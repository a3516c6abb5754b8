import { type Group, JSON_OUT, STREAM_OUT } from '../row.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const OTHER = '99999999-2222-4333-8444-555555555555';
const before = [['-p', 'before', '--session-id', ID]];
const SCOUT = JSON.stringify({ scout: { description: 'Looks around', prompt: 'You look around.' } });
const AS_SCOUT = ['-p', 'before', '--session-id', ID, '--agent', 'scout', '--agents', SCOUT];
const scenario = { calls: [{ text: 'Hi there' }, { text: 'Hi again' }] };
const again = (name: string, ...claude: string[]) => ({ name, before, scenario, claude });

export const SESSIONS: Group = {
  title: 'Sessions',
  rows: [
    again('--continue', '-p', 'again', '--continue', ...JSON_OUT),
    again('--continue as text', '-p', 'again', '--continue'),
    again('--resume ID', '-p', 'again', '--resume', ID, ...STREAM_OUT),
    again('--resume ID --fork-session', '-p', 'again', '--resume', ID, '--fork-session', ...STREAM_OUT),
    again('--resume ID without a prompt', '-p', '--resume', ID, ...JSON_OUT),
    { name: '--session-id ID', claude: ['-p', 'hello', '--session-id', ID, ...STREAM_OUT] },
    again('--session-id of an existing session', '-p', 'again', '--session-id', ID, ...JSON_OUT),
    { name: '--no-session-persistence', claude: ['-p', 'hello', '--no-session-persistence', ...STREAM_OUT] },
    { name: '--continue without a session', claude: ['-p', 'hello', '--continue', ...JSON_OUT] },
    { name: '--resume UNKNOWN', claude: ['-p', 'hello', '--resume', OTHER] },
    { name: '--resume UNKNOWN, json', claude: ['-p', 'hello', '--resume', OTHER, ...JSON_OUT] },
    { name: '--resume UNKNOWN, json --verbose', claude: ['-p', 'hello', '--resume', OTHER, ...JSON_OUT, '--verbose'] },
    { name: '--resume UNKNOWN, stream-json', claude: ['-p', 'hello', '--resume', OTHER, ...STREAM_OUT] },
    { ...again('--resume of a session whose agent is gone', '-p', 'again', '--resume', ID), before: [AS_SCOUT] },
    again('--resume ID --agent of an unknown agent', '-p', 'again', '--resume', ID, '--agent', 'nope'),
    { name: '--resume with an invalid id', claude: ['-p', 'hello', '--resume', 'nonsense', ...JSON_OUT] },
  ],
};
