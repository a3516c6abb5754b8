/** A figure in the text format of Prometheus. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A sample line, taken apart as Prometheus' own parser does. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)+)\} (\d+(?:\.\d+)?(?:e[+-]\d+)?)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/g;

/** Reads one sample line. */
export function readSample(line: string): ReadSample {
  const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? [];
  if (value === undefined) throw new Error(`no sample: ${line}`);
  const read = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, unescaped(text)]);
  return { name, labels: Object.fromEntries(read), value: Number(value) };
}

/** Reads all samples. Throws where a family is in two pieces or without help and type, or a sample is there twice. */
export function readExposition(text: string): ReadSample[] {
  const pieces = text.split(/^(?=# HELP )/m).filter((piece) => piece !== '');
  const families = pieces.map(readFamily);
  demandOnce(families.map(({ name }) => name));
  return families.flatMap(({ samples }) => samples);
}

function readFamily(piece: string): { name: string; samples: ReadSample[] } {
  const [, name = '', body = ''] =
    /^# HELP (\w+) \S.*\n# TYPE \1 (?:counter|gauge|summary)\n((?:[^#\n].*\n)+)$/.exec(piece) ?? [];
  if (name === '') throw new Error(`no family: ${piece}`);
  const lines = body.trimEnd().split('\n');
  demandOnce(lines.map((line) => line.slice(0, line.lastIndexOf(' '))));
  const samples = lines.map(readSample);
  const odd = samples.find((sample) => sample.name.replace(/_(?:sum|count)$/, '') !== name);
  if (odd) throw new Error(`${odd.name} is not of ${name}`);
  return { name, samples };
}

function demandOnce(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`twice: ${twice}`);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
