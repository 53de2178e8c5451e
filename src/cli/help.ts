/** Text of `--help`. */
import packageJson from '../../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;

const JSON_OPTION = ['--json', 'one JSON document'] as const;

const VERBS: Readonly<Record<string, { readonly usage: string; readonly does: string; readonly options: readonly (readonly [string, string])[] }>> = {
  record: {
    usage: 'record [options] -- CMD [ARGS…]',
    does: 'Runs CMD; every Node process below it that runs user code is recorded.',
    options: [['--name W', 'workflow name of the run'], ['--agent A', 'agent id (default: package name, or entry file)'], ['--tag k=v', 'a tag; may be given several times'], ['--proxy PORT', 'for a program that is not Node: records its HTTP traffic through a proxy on this port (0: any free one); to replay: serve']],
  },
  replay: {
    usage: 'replay <run> [options] [-- CMD [ARGS…]]',
    does: 'Runs the same program again, offline, with every answer from the recording. Exit code: the agent’s own when identical; 3 diverged or drifted, 7 truncated.',
    options: [
      ['--report FILE', 'writes the verdict as JSON'], ['--env K=V', 'overrides one environment variable'], ['--node PATH', 'the Node binary to replay with: of the recorded version exactly, of any other by meaning'],
      ['--loose', 'for code that was changed on purpose: answers by meaning, and lists every difference'],
      ['--realtime', 'delivers nothing before its recorded time; default: all of it at once, as fast as the program takes it'],
      ['--sandbox auto|os|process', 'the wall around the process: the strongest there is (default), one of the system or none at all, guards in the process only'],
      ['--until N', 'stops before step N (of show) is answered, and prints where the agent stands: its frames, their variables'],
      ['--inspect', 'waits there for a debugger (Chrome DevTools, VS Code), also out of a sandbox'],
      ['--step', 'walks from there, or from the first step, in the terminal: enter for the next step, h for the other commands'],
      ['--children injected|live', 'what the program heard of its child processes is from its log; live: its Node children are replayed as well, each from its own run'],
      ['-- CMD', 'where the code lies now, and its arguments'],
    ],
  },
  verify: {
    usage: 'verify <run>… | FILES… | --all | --tag k=v [--loose] [--update] [--reporter pretty|json|junit|github] [-- CMD [ARGS…]]',
    does: 'Replays many runs, as many at once as there are cores; for CI. Of the store, or bundles that lie in files. Exit code 0 when all are identical, 4 when a bundle is damaged, 3 when a run diverged, 2 when a bundle cannot be opened, 7 when a run is truncated, 1 when one could not be replayed.',
    options: [
      ['FILES', 'bundles that export wrote, or folders of them (*.replay); they need -- CMD, and leave the store alone'], ['--all', 'every recorded run of the store, but for child runs, forks and kept replays'], ['--tag k=v', 'the runs with this tag; may be given several times'],
      ['--update', 'records anew what did not replay, and shows what changed; the old run stays, and --all and --tag pass it over; a bundle is rewritten'], ['--reporter R', 'pretty (default), json, junit or github'], ['--report FILE', 'writes the JSON report to a file as well'], ['--loose, --sandbox, --node, -- CMD', 'as for replay'],
    ],
  },
  gate: {
    usage: 'gate --agent A [--last N] [--require RATIO] [--json]',
    does: 'Says whether an agent may be trusted with more: whether its last runs replay byte for byte. Exit code 0 or 3.',
    options: [['--last N', 'how many of its last runs (default 20)'], ['--require RATIO', 'how large a part of them has to be identical (default 1)'], JSON_OPTION],
  },
  fork: {
    usage: 'fork <run> --at N|--swap A,B [options] [-- CMD [ARGS…]]',
    does: 'Replays up to step N, and lets the program go on from there: model calls are live, all else by the side-effect registry. A recorded run of its own. Exit code: the agent’s own; 3 diverged before N, 6 something was refused.',
    options: [
      ['--at N', 'the step (of show) that is the first to be live, or to be answered otherwise'],
      ['--set PATH=JSON', 'changes the recorded answer of step N at a path of its output; may be given several times'],
      ['--output FILE', 'answers step N with the content of a file as the body'],
      ['--swap A,B', 'brings what step B waited for before what step A waited for: answers, messages, timers that were under way together (--at can be left out)'],
      ['--handlers FILE', 'a module of msw handlers, which answer before the recording and the world do'],
      ['--model NAME', 'model calls that go out ask for this model'],
      ['--live PATTERN', 'what may be asked for real: HOST/PATH or "METHOD URL", with *, or postgres://HOST:PORT, redis://HOST:PORT (as `tools` of the configuration says read-only)'],
      ['--on-refused stop|error', 'a call that is refused: ends the program (stop), or reaches it as a broken connection'],
      ['--report FILE', 'writes the verdict as JSON'], ['--agent A', 'agent id of the new run'], ['--node PATH', 'the Node binary (must be the recorded version)'], ['--sandbox auto|os|process', 'as for replay'],
      ['-- CMD', 'where the code lies now, and its arguments'],
    ],
  },
  serve: {
    usage: 'serve <run> [--port N] [--report FILE] [--json] [-- CMD [ARGS…]]',
    does: 'Answers the recorded HTTP calls of a run on a port of 127.0.0.1, for a program that is not Node: as HTTP proxy and as base URL. Exit code: CMD’s own (0 without one), or 3 when calls were changed, added or left out.',
    options: [['--port N', 'the port (default: a free one)'], ['--report FILE', 'writes the verdict as JSON'], ['--json', 'prints the address as JSON'], ['-- CMD', 'runs CMD with the proxy in its environment, and ends with it; otherwise Ctrl-C does']],
  },
  runs: { usage: 'runs [--tree] [--json]', does: 'Lists the runs of the store, newest first.', options: [['--tree', 'runs of child processes below the run that started them, forks below the run they come of'], JSON_OPTION] },
  show: {
    usage: 'show <run> [--step N] [--raw input|output] [--json]',
    does: 'Shows what the agent did, step by step.',
    options: [['--step N', 'one step, whole'], ['--raw input|output', 'with --step: the exact bytes, to stdout'], ['--verbose', 'unfolds clock reads, random values and other noise'], JSON_OPTION],
  },
  diff: {
    usage: 'diff <run> <run> [--verbose] [--json]',
    does: 'Shows where two runs part: the first difference, the first different decision, step by step, and what came of it.',
    options: [['--verbose', 'names every step that is the same, too'], JSON_OPTION],
  },
  search: {
    usage: 'search TEXT | --like RUN:STEP | --saved NAME [options]',
    does: 'Finds steps in all runs by what was said in them: by words and by meaning. Or asks a question that is kept as SQL.',
    options: [
      ['--like RUN:STEP', 'what is like that step'], ['--since T', 'not older than 30m, 12h, 7d, 2w or a date; --until T: older than that'], ['--agent A', 'of this agent'],
      ['--kind K', 'llm, tool, message, …'], ['--tag k=v', 'of runs with this tag; may be given several times'], ['--limit N', 'at most so many (default 10)'],
      ['--saved NAME', 'a saved query, or a file .sql'], ['--param k=v', 'a parameter of it; may be given several times'], ['--list', 'saved queries: what each asks and takes'], JSON_OPTION,
    ],
  },
  coverage: { usage: 'coverage <run> [--json]', does: 'Shows what was captured, by boundary, and what got past, by name and place.', options: [JSON_OPTION] },
  doctor: {
    usage: 'doctor [<run> | -- CMD [ARGS…]] [--json]',
    does: 'Says what would make a program irreproducible, with the way out. Looks at a run, at a command (recorded once and replayed, and not kept), or without either at this machine. Exit code 0 when nothing is found, 1 when something is.',
    options: [JSON_OPTION],
  },
  check: {
    usage: 'check <run> | --all [--anchor FILE] [--json]',
    does: 'Verifies checksums and chains; names the first damage. Exit code 4 if there is any.',
    options: [['--all', 'every run of the store'], ['--anchor FILE', 'compares with what check --json printed earlier: finds a recording that was rewritten as a whole'], JSON_OPTION],
  },
  migrate: { usage: 'migrate [--json]', does: 'Brings the store’s database to this version’s shape. A server wants a login that may create roles; the embedded database is brought along by itself. Never back.', options: [JSON_OPTION] },
  ship: {
    usage: 'ship [--once] [--from FOLDER]',
    does: 'Brings recordings from this host to the server that --store names, until it is stopped; what the server has is removed here.',
    options: [['--once', 'ships what is there and ends; exit code 5 when the server cannot be reached'], ['--from FOLDER', 'a folder that programs record into, instead of the spool of that server']],
  },
  vault: {
    usage: 'vault <run> [STAND-IN…] --purpose TEXT [--json]',
    does: 'Shows the secrets behind the stand-ins of a run. Who asked, when and what for is noted beside the run first.',
    options: [['--purpose TEXT', 'what for'], ['--log', 'who has asked before'], JSON_OPTION],
  },
  export: {
    usage: 'export <run> [--format bundle|jsonl|otel|har|html] [--output FILE] [--with-secrets [--recipient KEY]]',
    does: 'Writes the run and its child runs to one file to hand on; secrets are replaced by stand-ins.',
    options: [
      ['--format F', 'bundle (default): to import and replay elsewhere; jsonl, otel, har, html: to read'], ['--output FILE', 'default: the run’s id, with the ending of the format; its folder is made; - is standard output'],
      ['--with-secrets', 'bundle only: the exact recording, sealed'], ['--recipient KEY', 'whom it is sealed to (default: you); may be given several times'],
    ],
  },
  import: { usage: 'import FILE [--json]', does: 'Takes the runs of a bundle into the store. Everything is checked first, and nothing in it is run; replay of it needs “-- node PATH”.', options: [JSON_OPTION] },
  prune: {
    usage: 'prune [--dry-run] | --erase <run>',
    does: 'Archives or removes what retention and the disk cap of the configuration ask for. What was removed stays listed in runs.',
    options: [['--erase', 'removes one run and its child runs for good, and destroys its key, so that no copy in an archive can be opened'], ['--dry-run', 'only says what would be done'], JSON_OPTION],
  },
  archive: { usage: 'archive [<run>…] [--dry-run]', does: 'Moves recordings to the archive of the configuration; without a run, those whose time in the store is over. replay and show bring them back.', options: [['--dry-run', 'only says what would be done'], JSON_OPTION] },
  restore: { usage: 'restore <run> [--dry-run]', does: 'Brings an archived run, and those below it, back into the store.', options: [['--dry-run', 'only says what would be done'], JSON_OPTION] },
  keys: { usage: 'keys [--json]', does: 'Shows your public key and where the private one lies; makes the pair if there is none.', options: [JSON_OPTION] },
};

const STORE_OPTION = ['--store PLACE', 'the store: a folder, or postgres://… (default: .replay, REPLAY_HARNESS_STORE or the configuration file)'] as const;

export function helpFor(verb: string): string {
  const entry = VERBS[verb];
  if (!entry) return HELP;
  return `replay-harness ${entry.usage}\n\n${entry.does}\n\nOptions:\n${table([...entry.options, STORE_OPTION])}`;
}

export const HELP: string = `replay-harness ${VERSION}: records an unmodified Node.js agent, replays it offline, byte for byte

  node --import replay-harness agent.js        record (nothing else needed)
  replay-harness record -- node agent.js       record, with a one-line summary
  replay-harness replay latest                 the same run again: no network, no keys

<run> is a full id, a unique prefix, or "latest".

Commands (replay-harness COMMAND --help lists the options of one):
${table(Object.values(VERBS).map(({ usage, does }) => [usage.split(/ (?:\[|-|\|)/)[0] as string, (does.split('. ')[0] as string).replace(/\.$/, '')] as const))}
Options everywhere:
${table([STORE_OPTION])}
Exit codes: 0 done · 1 failed · 2 usage or configuration · 3 diverged (verify, gate: one of the runs) · 4 integrity · 5 store unreachable · 6 refused in a fork · 7 truncated.
record, replay and fork pass the agent's own exit code through when the run went as it should.
Environment: REPLAY_HARNESS_MODE, _STORE, _RUN, _AGENT, _CONFIG, _RECIPIENT, _IDENTITY, _LOG. See the README.
`;

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}
