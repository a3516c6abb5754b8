import { type Sentence, sentencesOf, withoutBullets } from '../../governor/prompts/sentences.ts';

/**
 * What a user asked for once and means from then on, sentence by sentence, in the user's words and order. With the newest
 * prompts told whole in its place, a job of 36 prompts (`npm run outcome -- --seed 31 --tasks 36`) breaks 110 of 208 rules with
 * summaries and 135 with handoffs; with it none.
 */
export function constraintsIn(text: string): string[] {
  const own = text.split('\n').map((line) => (PASTED.test(withoutBullets(line).trim()) ? '' : line));
  return sentencesOf(own.join('\n')).flatMap((sentence) => {
    const { text: words, lead } = sentence;
    if (isRule(words)) return [words];
    return lead !== undefined && isUnderRule(sentence) ? [`${lead} ${words}`] : [];
  });
}

/** Lines of logs and of code that were pasted speak of rules too, but not the user's. */
const PASTED =
  /^(?:at \S+ ?\(|[>+$|]|\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d|[\w.]*(?:Error|Exception|Warning)\b:|(?:error|warning|fatal|warn|info|debug)\b[:[]|(?:INFO|WARN|ERROR|DEBUG|TRACE|FATAL)(?::|\s{2}|\s\[)|\[(?:INFO|WARN|ERROR|DEBUG|TRACE|FATAL)\b|npm (?:ERR!|error|warn)|Caused by:|\S+:\d+(?::\d+)?:\s|(?:import|export|const|let|var|function|return|class|def|if \()\s?.*[;{]$)/;

/** Words that call a list of rules one. */
const RULES =
  /\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|restrictions?|important|remember|(?:do not|don't|dont|never|always|must|avoid|only|keep|no)\b)\b/;

function isUnderRule({ text, lead = '' }: Sentence): boolean {
  return RULES.test(lead.toLowerCase()) && lead.length <= 200 && !PASTED.test(text) && !isQuestion(text);
}

/** A question asks for nothing that lasts, except a polite request. */
function isQuestion(text: string): boolean {
  return /\?["')\]]*$/.test(text) && !/^(?:(?:and|also|so)\s+)?(?:can|could|would|will) you\b/i.test(text);
}

function isRule(text: string): boolean {
  if (PASTED.test(text) || isQuestion(text)) return false;
  // What is quoted is the name of something.
  const plain = text.replaceAll('’', "'").replace(/`[^`]+`/g, '`x`');
  // A pattern that ignores case takes twice as long to compile, which is most of what it takes in a short text.
  const lower = plain.toLowerCase();
  const mayBe = RULE_WORDS.some((word) => lower.includes(word));
  if (mayBe && RULE_FORMS.some((pattern) => pattern.test(lower)) && !NOT_A_RULE.test(lower)) return true;
  return clausesOf(plain).some(isDemand) || isContrast(plain) || isCorrection(lower) || isGivenFact(plain);
}

/** Wherever they stand, these ask for something that lasts. */
const SAYS_RULE: readonly RegExp[] = [
  /\b(?:must|mustn't|shall)\b/,
  /\b(?:should|may|can|will|could|shouldn't|to) (?:also )?(?:never|always|only)\b|\bshould(?:n't| not)\b|\b(?:may|can) not\b|\b(?:you|nobody|we) (?:can't|cannot)\b/,
  /\b(?:make|be) sure\b|\bensure\b|\bfrom now on\b|\bfrom here on\b|\bremember (?:to|that)\b/,
  /\b(?:forbidden|prohibited|off[- ]limits|not allowed|not permitted|read[- ]only|hands off|reserved for)\b/,
  /\b(?:no (?:more|fewer|less|later|earlier) than|at most|at least)\b.*\d|\b(?:i|we)(?:'d| would) rather\b.*\bthan\b/,
  /\b(?:refrain from|stay (?:out of|away from|within)|stick (?:to|with)|leave .{1,80}(?:alone|as (?:it is|they are|is)|untouched|unchanged))\b/,
  /\bwithout (?:asking|my|first|permission|approval)\b|\bask (?:me |us )?(?:first|before)\b/,
  /\b(?:i|we) (?:want|need|would like|'d like|like|prefer)\b.*\b(?:never|always|only|no|not|every|all|instead)\b/,
  /\b(?:i|we) (?:always|never|only|prefer|do not use|don't use|don't want|do not want)\b/,
  /\b(?:under no circumstances|whatever you do|rather you (?:didn't|did not)|needs? my (?:ok|approval|permission))\b/,
];

/** These take back what was asked for before: it is not to stand there alone. */
const TAKES_BACK: readonly RegExp[] = [
  /\byou (?:may|can)\b(?=.*\b(?:again|now|after all)\b)(?! (?:(?:now|again) )?(?:see|find|tell|run|try|check|look|read|start|go|continue|proceed|stop|begin)\b)/,
  /\byou (?:no longer|don't|do not) (?:need|have) to\b|\bno need to\b.*\bany(?: ?more| longer)\b|\b(?:feel|are) free to\b|\bchanged my mind\b/,
  /\b(?:rules?|limits?|constraints?|restrictions?|requirements?|freeze|ban)\b.*\b(?:no longer|any ?more|over|lifted)\b/,
  /\b(?:forget|ignore|drop|scrap|disregard)\b.*\b(?:said|told|rules?|limits?|constraints?|restrictions?|requirements?)\b/,
  /\b(?:is|are|it's) (?:now )?(?:(?:ok|okay|fine) to\b|(?:allowed|permitted|free) (?:again|now))/,
];

export const RULE_FORMS: readonly RegExp[] = [...SAYS_RULE, ...TAKES_BACK];

/** Each match of one of them contains one of these: they are looked for first, as most sentences have none. */
export const RULE_WORDS: readonly string[] =
  "must shall never always only not n't sure from remember forbidden prohibited limits hands reserved than most least refrain stay stick leave without ask want need like prefer under whatever rather again now after longer free mind more over lifted forget ignor drop scrap disregard allowed permitted ok fine".split(
    ' ',
  );

/** Guesses, and what is told of the past. */
const NOT_A_RULE =
  /\b(?:it|that|there|something|someone|i|you|he|she|they|which|bug|error|problem) must (?:be (?:a|an|the|some\w*|because|due|related|wrong|broken|in|from|coming)\b|have\b)|\bi must (?:admit|say|confess)\b|\b(?:i|we) never (?:\w+ed|saw|got|had|knew|know|thought|understood|understand|remember|found|did|ran|made)\b|\bi (?:always|only) (?:get|see|got|saw|thought|\w+ed)\b|\b(?:i'm|am|not|are) sure\b/;

/** Parts of a sentence that can each ask for something. */
function clausesOf(text: string): string[] {
  return text
    .split(/[,;:()]\s|\s[-–—]+\s|\s(?=(?:but|and|so|then|or|also)\s)/i)
    .map((clause) =>
      clause
        .replace(/^["'“„*_\s]+/, '')
        .replace(OPENERS, '')
        .replace(CONDITION, ''),
    )
    .filter((clause) => clause !== '');
}

/** What stands before the verb of a demand. */
const OPENERS =
  /^(?:(?:but|and|so|then|or|please|pls|actually|also|instead|really|just|again|ok|okay|well|hey|sorry|oh|wait|yes|(?:could |can |would |will )?you|let's|rather|better|for now|in general|generally|otherwise|important|note)\b[,!]?\s+)+/i;

/** `For the tests use …`, `When you deploy take …`. */
const CONDITION =
  /^(?:for|in|on|at|to|when|whenever|if|while|during|after|before|with)\s(?:\S+\s){1,6}?(?=(?:never|always|only|use|take|keep|pass|avoid|prefer|run|do not|don't)\s)/i;

const VERBS = new Set(
  'add allow answer apply ask begin build change check choose commit configure connect copy create delete deploy do edit export fix format generate give go handle ignore implement import include install keep leave limit link list load log make merge migrate modify mount move name open pass pick pin place print publish push put read rebase refactor release remove rename reply report return run save seed send serve set ship show start stay stick stop store support switch take target test touch treat update upgrade upload use wait work write'.split(
    ' ',
  ),
);
/** Begins with the verb of a demand, in either case. */
function isImperative(text: string): boolean {
  return VERBS.has(/^\w*/.exec(text)?.[0].toLowerCase() ?? '');
}

/** Something that only a user can have named: a number, a flag, a path, an identifier, a quotation. */
const SPECIFIC =
  /`[^`]+`|"[^"]+"|(?<![\w.])\d{2,}|(?<!\w)--?\w[\w-]+|\w[\w.-]*\/[\w./-]+|\b\w+\.(?:[a-z]{1,4}|toml|yaml|json)\b|\b[A-Z][A-Z0-9_]*[-_]\w+|\b\w+[-_]\w*\d\w*|\b\w+@\w+|\bv?\d+\.\d+|[A-Za-z]{2,}(?=[\u3040-\u30ff\u4e00-\u9fff])/;

/** What a clause begins with that one of the next may take for a demand. */
const DEMANDING = /^(?:do|never|keep|preserve|retain|no|always|avoid|prefer)/;

/** A clause that begins like this demands something that lasts. */
const DEMANDS: readonly RegExp[] = [
  /^(?:do not|don't|dont)\s+(?!worry|know|think|mind|care|panic|bother|forget\b$|you\b|i\b|we\b|they\b)\S/,
  /^never\s+(?!mind\b|again$)(?!\w+(?:ed|s)\b(?<!\b(?:pass|process|access|address|press|miss|embed|feed|need|seed|exceed|proceed|speed|discuss|express|compress|suppress|use)))(?!(?:ran|got|had|came|saw|was|were|is|did|went|made|heard|seen|been|knew|thought|gets|has|happening)\b)\S/,
  /^(?:keep|preserve|retain)\s+(?!going|on\b|calm|in mind$|\w+ing\b)\S/,
  /^no\s+(?!problem|idea|worr|doubt|luck|matter|one\b|longer\b|way\b|thanks|need\b|change\b|changes? (?:here|there|needed)|error|output|wonder|rush|reason|clue|that\b|it\b|this\b|i\b|we\b|you\b)(?!(?:\S+\s){1,4}?(?:is|are|was|were|has|had|have|does|did|do|fails?|failed|works?|found|ran|helps?|helped|\w{2,}ed)\b(?! to\b))\S/,
  /^(?:always|avoid|prefer)\s+\S/,
];

/** A clause that begins as a demand does, and says that it lasts or names what only the user knows. */
function isDemand(clause: string): boolean {
  const lower = clause.toLowerCase();
  if (DEMANDING.test(lower) && DEMANDS.some((pattern) => pattern.test(lower))) return true;
  if (/^(?:only|solely|exclusively)\s/.test(lower)) return isOnly(lower);
  return isImperative(lower) && lasts(lower, clause);
}

/** `Use tabs, not spaces.` */
function isContrast(text: string): boolean {
  const demand = text.replace(OPENERS, '').toLowerCase();
  return isImperative(demand) && /, (?:and )?not \S/.test(demand);
}

/** `No, spaces.`, `Tabs after all in Makefiles.` */
const CORRECTION =
  /^(?:no|nope|scratch that|correction|on second thoughts?)[,:;.!–-]+ \S|\b(?:after all|everywhere else)\b/;

/** What happened, and what is to be done now, is no choice. */
const TELLS =
  /\b(?:is|are|was|were|has|have|had|can|could|will|would|do|does|did|\w+n't|works?|worked|pass(?:es|ed)?|fails?|failed|errors?|it|it's|that|that's|this|there|i|i'm|we|they|he|she|you|thanks|stop|wait|go|try|again|continue|yet|now|more|nothing|problem|worries|sorry)\b/;

function isCorrection(lower: string): boolean {
  return lower.length <= 120 && CORRECTION.test(lower) && !TELLS.test(lower.replace('scratch that', ''));
}

const LASTS =
  /\b(?:only|always|never|instead|rather than|not|without|exclusively|no longer|no|every|each|exactly|whenever|unless|until)\b/;

function lasts(lower: string, clause: string): boolean {
  if (/\b(?:only|always|never|instead|rather than|exclusively|without|unless|whenever)\b/.test(lower)) return true;
  // `Use tabs for indentation.`
  const isConvention =
    /^use (?!(?:the|an?|this|that|your|my|it)\b)[\w.-]+(?: \w+)? for (?:(?:all|every|each)\b|\w+(?:s|ing|tion)\W*$)/;
  if (isConvention.test(lower)) return true;
  return /^(?:use|take|pass|stick|stay|target|pin|name|set|choose|pick|connect|switch|keep)\b/.test(lower)
    ? SPECIFIC.test(clause)
    : LASTS.test(lower) && SPECIFIC.test(clause) && !/^(?:read|look|check|test|show|list|print|fix)\b/.test(lower);
}

/** `only on staging`, not `only three are left`. */
function isOnly(lower: string): boolean {
  return !/^only\s+(?:\S+\s){0,4}?(?:is|are|was|were|has|had|have|fails?|failed|works?|worked|happens?|left)\b/.test(
    lower,
  );
}

/** `The port is 8081.`, `Tickets are in OPS-12.`: what a name stands for. */
const GIVEN =
  /\b(?:ports?|hosts?|server|branch|version|url|address|endpoint|region|database|bucket|account|tickets?|seed|label|prefix|timeout|limit|budget|deadline|owner|team|key|token|id|schema|table|user|registry|queue|channel)\b[^.!?;,]{0,40}?(?:\b(?:is|are|stays?|remains?|belongs? to)|=|:)\s+(?:now |still |always )?\S/;
const CORRECTED = /\b(?:it's|it is|that's|that is|make (?:it|that))\b.*\b(?:not|instead)\b/;

function isGivenFact(text: string): boolean {
  if (text.length > 300 || !SPECIFIC.test(text)) return false;
  const lower = text.toLowerCase();
  if (/\b(?:for|each|every|all) \S+ (?:is|are) done\b/.test(lower)) return false;
  const broken = /\b(?:wrong|broken|slow|failing|fails|failed|down|used|busy|missing|too|not found|undefined|null)\b/;
  return (
    (GIVEN.test(lower) && !broken.test(lower)) ||
    CORRECTED.test(lower) ||
    /^(?:every|each|all)\b.*\b(?:begins?|starts?|ends?|goes?|go|belongs?|lives?|carry|carries|get|gets)\b/.test(lower)
  );
}
