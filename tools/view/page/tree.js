// The tree that is drawn: ops as leaves; layers, repeated parts, regions and groups as boxes.
// Each node knows the values that it reads from outside and those that it defines.

class TreeNode {
  constructor(kind, label, op = null) {
    Object.assign(this, {kind, label, op, children: [], parent: null, open: false});
    this.path = op ? op.path : [];
    this.held = [];          // parameters and constants that only stand in this node
    this.reads = new Set();  // values from outside
    this.defines = new Set();
    this.count = kind === 'op' ? 1 : 0;
    this.first = this.last = 0;  // the ops inside, by their place in the program
  }

  adopt(children) {
    this.children = children;
    for (const child of children) child.parent = this;
  }

  get isBox() {
    return this.children.length > 0;
  }
}

// Groups the ops of a program by the block they stand in.
function opsByBlock(program) {
  const blocks = new Map();
  for (const op of program.ops) {
    const key = `${op.parent}/${op.region}/${op.block}`;
    if (!blocks.has(key)) blocks.set(key, []);
    blocks.get(key).push(op);
  }
  return blocks;
}

class TreeBuilder {
  constructor(program) {
    this.program = program;
    this.blocks = opsByBlock(program);
    this.places = new Map(program.ops.map((op, i) => [op, i]));
    this.nodes = new Map();  // the node of each op
  }

  // A parameter or constant that an op reads gets no node of its own.
  isHeld(op) {
    return op.holdsValue && this.program.usersOf(op).length > 0;
  }

  build() {
    const root = new TreeNode('root', data.title);
    root.adopt(fold(this.blockNodes('0/0/0', [])));
    root.open = true;
    this.summarise(root);
    return root;
  }

  blockNodes(key, args) {
    const shown = args.filter(({value}) => this.program.users.has(value));
    const ops = (this.blocks.get(key) || []).filter(op => !this.isHeld(op));
    return [...shown.map((arg, i) => this.argNode(arg, i)), ...ops.map(op => this.opNode(op))];
  }

  argNode({value, type}, i) {
    const node = new TreeNode('arg', `argument ${i}`);
    node.value = value;
    node.type = type;
    return node;
  }

  opNode(op) {
    const node = new TreeNode('op', op.label, op);
    const blocks = op.regions.flatMap(
        (region, r) =>
            region.map((args, b) => ({args, key: `${op.number}/${r}/${b}`, label: `region ${r}`})));
    if (blocks.length === 1) {
      node.adopt(fold(this.blockNodes(blocks[0].key, blocks[0].args)));
      node.label += `: ${labelOfRun(node.children.slice(0, -1))}`;
    } else
      node.adopt(blocks.map(block => this.regionNode(block)).filter(region => region.isBox));
    // A group belongs to the layer that all of its ops belong to.
    if (node.isBox && !node.path.length) node.path = commonPath(node);
    this.nodes.set(op, node);
    return node;
  }

  regionNode({args, key, label}) {
    const node = new TreeNode('region', label);
    node.adopt(fold(this.blockNodes(key, args)));
    return node;
  }

  // Fills in what depends on the nodes inside.
  summarise(node) {
    node.first = Infinity;
    node.last = -1;
    if (node.kind === 'op') this.enterOp(node);
    if (node.kind === 'arg') node.defines.add(node.value);
    for (const child of node.children) {
      this.summarise(child);
      node.count += child.count;
      node.first = Math.min(node.first, child.first);
      node.last = Math.max(node.last, child.last);
      for (const value of child.reads) node.reads.add(value);
      for (const value of child.defines) node.defines.add(value);
    }
    for (const value of node.defines) node.reads.delete(value);
  }

  enterOp(node) {
    node.first = node.last = this.places.get(node.op);
    for (const {value} of node.op.results) node.defines.add(value);
    for (const value of node.op.operands) {
      const definer = this.program.definers.get(value);
      if (!definer) continue;
      if (this.isHeld(definer)) {
        node.held.push(definer);
        if (!this.nodes.has(definer)) this.nodes.set(definer, node);
      } else
        node.reads.add(value);
    }
  }

  // Whether an op outside of a node reads the value.
  isReadOutside(node, value) {
    return (this.program.users.get(value) || []).some(user => {
      const place = this.places.get(user);
      return place < node.first || place > node.last;
    });
  }
}

function leavesOf(node) {
  return node.isBox ? node.children.flatMap(leavesOf) : [node];
}

// The boxes inside of a node, each behind those that it holds.
function boxesOf(node) {
  return node.children.filter(child => child.isBox).flatMap(child => [...boxesOf(child), child]);
}

function commonPath(node) {
  const paths = leavesOf(node).map(leaf => leaf.path).filter(path => path.length);
  if (!paths.length) return [];
  let depth = 0;
  while (paths[0][depth] !== undefined && paths.every(path => path[depth] === paths[0][depth])) depth++;
  return paths[0].slice(0, depth);
}
