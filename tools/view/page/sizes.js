// Sizes and texts of closed nodes. Widths are estimated from the number of letters, so that a
// layout is the same on every machine.

const LETTER = 6.4, BOLD_LETTER = 7.4, LINE = 14, PAD = 10, HEADER = 22;
const MOST_LETTERS = 38;

const cut = text => text.length > MOST_LETTERS ? text.slice(0, MOST_LETTERS - 1) + '…' : text;

function linesOf(node) {
  if (node.kind === 'arg') return [cut(shortType(node.type))];
  const lines = [];
  if (node.isBox) lines.push(`${node.count} ops`);
  if (node.op) lines.push(...opLines(node));
  return lines.map(cut);
}

function opLines(node) {
  const {op} = node;
  const held = node.held.filter(held => held.attrs.has('parameter_name'));
  const lines = held.slice(0, 3).map(held => `${held.port}: ${shortType(held.results[0]?.type ?? '')}`);
  if (held.length > 3) lines.push(`${held.length - 3} more parameters`);
  if (op.port && !node.isBox) lines.unshift(op.port);
  if (op.results.length) lines.push(shortType(op.results[0].type) + (op.results.length > 1 ? ', ..' : ''));
  return lines;
}

function measure(node) {
  node.title = cut(node.label);
  node.lines = linesOf(node);
  const title = (node.title.length + (node.isBox ? 2 : 0)) * BOLD_LETTER;
  node.width = 2 * PAD + Math.max(44, title, ...node.lines.map(line => line.length * LETTER));
  node.height = HEADER + node.lines.length * LINE + (node.lines.length ? 4 : 0);
}
