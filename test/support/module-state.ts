import { type Node, parseSync } from 'oxc-parser';

/** Methods that change an array, a map or a set. */
const CHANGES: ReadonlySet<string> = new Set([
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
  ...['add', 'set', 'delete', 'clear'],
]);

/** Initial values that somebody can write to. */
const COLLECTIONS: ReadonlySet<string> = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);

/**
 * What a module remembers between two calls, a sentence each: variables that are assigned again, constants that are
 * written to, and collections that are exported without being read-only. A regular expression's `lastIndex` does not
 * count: it is set before each use.
 */
export function moduleState(source: string): readonly string[] {
  const { program, errors } = parseSync('module.ts', source);
  if (errors.length > 0) throw new Error(errors[0]?.message);
  const declarations = program.body.flatMap(declarationsIn);
  const variables = declarations.filter(({ kind }) => kind !== 'const');
  const names = new Set(declarations.map(({ name }) => name));
  const writable = declarations.filter(({ isWritable }) => isWritable);
  return [
    ...variables.map(({ kind }) => `${kind} at the level of the module`),
    ...writable.map(({ name }) => `${name} can be written to by others`),
    ...nodesIn(program)
      .map(writtenTo)
      .filter((name) => name !== undefined && names.has(name))
      .map((name) => `${name} is written to`),
  ];
}

/** What a statement at the level of a module declares. */
function declarationsIn(statement: Node) {
  const isExported = statement.type === 'ExportNamedDeclaration';
  const declared = isExported ? statement.declaration : statement;
  if (declared?.type !== 'VariableDeclaration') return [];
  return declared.declarations.map(({ id, init }) => {
    const isCollection = init?.type === 'NewExpression' && COLLECTIONS.has(nameOf(init.callee));
    const isWritable = isExported && isCollection && !('typeAnnotation' in id && isReadOnly(id.typeAnnotation));
    return { kind: declared.kind, name: nameOf(id), isWritable };
  });
}

/** Of a variable of which a node changes the value. */
function writtenTo(node: Node): string | undefined {
  switch (node.type) {
    case 'AssignmentExpression':
      return rootOf(node.left);
    case 'UpdateExpression':
      return rootOf(node.argument);
    case 'UnaryExpression':
      return node.operator === 'delete' ? rootOf(node.argument) : undefined;
    case 'CallExpression':
      return node.callee.type === 'MemberExpression' && CHANGES.has(nameOf(node.callee.property))
        ? rootOf(node.callee.object)
        : undefined;
    default:
      return undefined;
  }
}

/** `a` of `a`, `a.b` and `a.b[c]`. */
function rootOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression') return undefined;
  return nameOf(node.property) === 'lastIndex' ? undefined : rootOf(node.object);
}

function nameOf(node: Node): string {
  return node.type === 'Identifier' ? node.name : '';
}

function isReadOnly(annotation: Node | null | undefined): boolean {
  if (annotation?.type !== 'TSTypeAnnotation') return false;
  const type = annotation.typeAnnotation;
  return type.type === 'TSTypeOperator'
    ? type.operator === 'readonly'
    : type.type === 'TSTypeReference' && nameOf(type.typeName).startsWith('Readonly');
}

function nodesIn(node: Node): Node[] {
  return [node, ...Object.values(node).flat().filter(isNode).flatMap(nodesIn)];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
