import { sentencesOf, withoutBullets } from '../../text/sentences.ts';

/**
 * Finds lasting rules in a prompt, sentence by sentence, in the user's words and order. False positives take up lines
 * of a bounded list; without rules, with the newest prompts in full instead, a job of 36 prompts (`npm run outcome --
 * --seed 31 --tasks 36`) breaks 110 of 208 rules with summaries and 135 with handoffs.
 */
export function constraintsIn(text: string): string[] {
  const userLines = text.split('\n').filter((line) => !PASTED.test(withoutBullets(line).trim()));
  return sentencesOf(userLines.join('\n')).flatMap(({ text: words, lead = '' }) => {
    if (isRule(words)) return [words];
    return lead.length <= 200 && LIST_OF_RULES.test(lead) && !PASTED.test(words) ? [`${lead} ${words}`] : [];
  });
}

/** Pasted lines of logs, code or data. */
const PASTED =
  /^(?:at \S+ ?\(|[>+$|{}[\]"']|\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d|[\w.]*(?:Error|Exception|Warning)\b:|\[?(?:error|warning|fatal|warn|info|debug|trace)\b(?:[:[\]]| {2})|npm (?:ERR!|error|warn)|Caused by:|\S+:\d+(?::\d+)?:\s)|[;{]$|"\s?[:,]/i;

const LIST_OF_RULES =
  /\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|important|remember|do(?: not|n't)|never|always|must|avoid|only|keep|no)\b/i;

/** Words that mark a lasting rule anywhere in a sentence. */
const LASTS =
  /\b(?:must(?:n't)?|shall|should(?:n't| not| never| always| only)|(?:may|can) (?:not|never|only)|cannot|never|always|only|(?<!to )avoid|ensure|(?:make|be) sure|prefer|instead|rather|from now on|forbidden|prohibited|(?:not )?(?:allowed|permitted)|off[- ]limits|read[- ]only|at (?:most|least)|stick to|untouched|unchanged|do(?: not|n't|nt)|without|under no|no longer|ask (?:me|us)|remember to|(?:free|fine|ok|okay) to|you (?:may|can) .*\bagain|i said|the rule|changed my mind|after all|scratch that|use (?!the\b|an?\b|this\b|it\b)\w+)\b|, (?:and )?not \S|^(?:please )?(?:no|keep|name|pass)\b/i;

/** Names and values that only a user can set: `The port is 8081.`, `The branch stays release/2.4.`. */
const NAMES = /\b(?:is|are|stays?|belongs?|lives?|go|goes) (?:\S+ ){0,2}(?=\S*(?:[\d/@]|\.\w))\S*\w\W*$/i;

/** Statements about the present, the past or an opinion, which are not rules. */
const STATEMENT =
  /^(?:(?:that|this|there|something|thanks|it (?!must (?!be (?:an?|the)\b)|should|shall|is (?:fine|ok|okay) to)|i (?!want|would|prefer|need|said|do(?:n't| not) want|changed)|(?:he|she|they) |you (?:can )?(?:see|are|have|were))|no,? \w+ (?:was|were|is|fails?|failed)|(?:never|no|don't) (?:mind|problem|idea|worry)|keep (?:going|on|working))|\b(?:always|never|only) (?:fails?|works?)\b|\?\W*$/i;

function isRule(text: string): boolean {
  const plain = text.replaceAll('’', "'").replace(/`[^`]+`/g, '`x1`');
  if (PASTED.test(text) || (STATEMENT.test(plain) && !/^(?:can|could|would|will) you\b/i.test(plain))) return false;
  return LASTS.test(plain) || NAMES.test(plain);
}
