// Folding: neighbours in the program become boxes, by the names of their layers, by repetition,
// and by number where a level is still too long to lay out. Only neighbours are put together, so
// that the boxes have no cycles.

const MOST_CHILDREN = 60;
const LONGEST_PERIOD = 200;

function box(kind, label, children) {
  const node = new TreeNode(kind, label);
  node.adopt(children);
  return node;
}

function fold(nodes) {
  return foldLong(foldRepeats(foldPaths(nodes, 0)));
}

// Runs of nodes with the same layer at this depth; a layer that holds all of them adds nothing.
function foldPaths(nodes, depth) {
  const folded = [];
  for (let i = 0, end; i < nodes.length; i = end) {
    const name = nodes[i].path[depth];
    for (end = i + 1; end < nodes.length && nodes[end].path[depth] === name; end++);
    if (name === undefined || end - i === 1)
      folded.push(...nodes.slice(i, end));
    else if (end - i === nodes.length)
      return foldPaths(nodes, depth + 1);
    else
      folded.push(layerBox(name, foldPaths(nodes.slice(i, end), depth + 1)));
  }
  return folded;
}

function layerBox(name, nodes) {
  return box('layer', name, foldLong(foldRepeats(nodes)));
}

// Nodes with equal signatures look the same: the same ops in the same boxes.
function signatureOf(node) {
  return node.isBox ? `[${node.children.map(signatureOf).join()}]` : node.label;
}

// The repetition that begins at `from` and covers most, the shortest of those: its period, and
// how often it stands there.
function repetitionAt(signatures, from) {
  let best = {period: 0, times: 1};
  const longest = Math.min(LONGEST_PERIOD, (signatures.length - from) >> 1);
  for (let period = 1; period <= longest; period++) {
    let end = from + period;
    while (end < signatures.length && signatures[end] === signatures[end - period]) end++;
    const times = Math.floor((end - from) / period);
    if (times > 1 && times * period > best.times * best.period) best = {period, times};
  }
  return best;
}

// A repetition is worth a box for each of its turns if these hold three nodes (two halves that are
// all there is do not need them), or else one box if it is long.
function foldRepeats(nodes) {
  if (nodes.length < 8) return nodes;
  const signatures = nodes.map(signatureOf);
  const folded = [];
  for (let i = 0; i < nodes.length;) {
    const {period, times} = repetitionAt(signatures, i);
    const run = nodes.slice(i, i + period * times);
    if (period >= 3 && (times > 2 || run.length < nodes.length))
      folded.push(...turnsOf(run, period, times));
    else if (period > 0 && times >= (nodes[i].isBox ? 13 : 6))
      folded.push(box('repeat', `${times} × ${labelOfRun(run.slice(0, period))}`, foldLong(run)));
    else
      folded.push(nodes[i]);
    i += folded[folded.length - 1] === nodes[i] ? 1 : run.length;
  }
  return folded;
}

function turnsOf(run, period, times) {
  const turns = Array.from({length: times}, (_, turn) => {
    const part = run.slice(turn * period, (turn + 1) * period);
    return box('repeat', `${turn + 1}/${times}: ${labelOfRun(part)}`, foldLong(foldRepeats(part)));
  });
  return times > 12 ? [box('repeat', `${times} × ${labelOfRun(run.slice(0, period))}`, foldLong(turns))] :
                      turns;
}

// The kinds of nodes that a run consists of; arguments of blocks and numbers of turns do not count.
function labelOfRun(nodes) {
  const counted = nodes.filter(node => node.kind !== 'arg');
  const names = [...new Set(counted.map(node => node.label.replace(/^\d+\/\d+: /, '')))];
  return names.length > 3 ? `${names.slice(0, 2).join(', ')} .. ${names[names.length - 1]}` :
                            names.join(', ');
}

// Parts of equal length, as few as possible.
function foldLong(nodes) {
  if (nodes.length <= MOST_CHILDREN) return nodes;
  const parts = Math.ceil(nodes.length / MOST_CHILDREN);
  const size = Math.ceil(nodes.length / parts);
  const folded = [];
  for (let i = 0; i < nodes.length; i += size) {
    const part = nodes.slice(i, i + size);
    folded.push(
        part.length > 1 ? box('part', `${i + 1} to ${i + part.length}: ${labelOfRun(part)}`, part) : part[0]);
  }
  return foldLong(folded);
}
