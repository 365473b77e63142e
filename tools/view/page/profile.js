// A profile of one run: its spans are given to the ops that they ran, by label and order.

const LONGEST_LABEL = 160;

// The label that a plan gives an op: the names inside of a group, as many as fit.
function planLabel(op, inside) {
  if (!inside.length) return op.attrs.get('op_name') || op.name;
  let label = '';
  for (const {name, results, holdsValue} of inside) {
    if (!results.length || holdsValue || label.length + name.length + 1 >= LONGEST_LABEL) continue;
    label += (label ? '+' : '') + name;
  }
  return label;
}

class Profile {
  constructor(viewer) {
    this.viewer = viewer;
    this.spans = data.profile ? data.profile.spans : [];
    this.byOp = new Map();
    $('profile-buttons').hidden = !data.profile;
    if (data.profile)
      $('profile-buttons')
          .append(
              element('button', {id: 'heat', onclick: () => this.toggleHeat()}, 'heat'),
              element(
                  'button', {id: 'roofline', onclick: () => showChart('Roofline', rooflineChart(this))},
                  'roofline'),
              element(
                  'button',
                  {id: 'memory', onclick: () => showChart('Memory of the arena', memoryChart(this))},
                  'memory'));
  }

  // Spans of one label go to the ops of that label in turn, so a loop's spans come round.
  assign(program) {
    const blocks = opsByBlock(program), byLabel = new Map(), turns = new Map();
    this.byOp.clear();
    for (const op of program.ops) {
      const isControl = op.regions.length > 1 || op.regions.flat(2).length > 0;
      const label = planLabel(op, isControl ? [] : blocks.get(`${op.number}/0/0`) || []);
      if (!byLabel.has(label)) byLabel.set(label, []);
      byLabel.get(label).push(op);
    }
    for (const span of this.spans) {
      const ops = byLabel.get(span.label), turn = turns.get(span.label) || 0;
      if (!ops) continue;
      turns.set(span.label, turn + 1);
      this.add(ops[turn % ops.length], span);
    }
  }

  add(op, span) {
    const sum = this.byOp.get(op) || {ns: 0, bytes: 0, flops: 0, times: 0, compiled: span.compiled};
    for (const key of ['ns', 'bytes', 'flops']) sum[key] += span[key];
    sum.times++;
    span.op = op;
    this.byOp.set(op, sum);
  }

  get total() {
    return this.spans.reduce((sum, {ns}) => sum + ns, 0);
  }

  // Shares of the hottest node, for ops and for the boxes around them.
  heatOf(root) {
    const times = new Map();
    const visit = node => {
      let ns = node.op && this.byOp.has(node.op) ? this.byOp.get(node.op).ns : 0;
      for (const child of node.children) ns += visit(child);
      times.set(node, ns);
      return ns;
    };
    visit(root);
    times.delete(root);
    const most = Math.max(1, ...times.values());
    return new Map([...times].map(([node, ns]) => [node, ns / most]));
  }

  toggleHeat() {
    const {marks} = this.viewer.painter;
    marks.heat = marks.heat ? null : this.heatOf(this.viewer.root);
    $('heat').classList.toggle('on', Boolean(marks.heat));
    this.viewer.redraw();
  }

  about(op) {
    const sum = this.byOp.get(op);
    if (!sum) return null;
    const rows = [
      ['time', `${number(sum.ns / 1000)} µs (${number(100 * sum.ns / this.total)} %)`],
      ['runs', String(sum.times)], ['bytes', bytes(sum.bytes)], ['arithmetic', `${number(sum.flops)} flop`],
      ['rate', `${number(sum.flops / sum.ns)} GFLOP/s, ${number(sum.bytes / sum.ns)} GB/s`],
      ['by', sum.compiled ? 'generated code' : 'called kernel']
    ];
    return section('Profile', table(rows, {id: 'profile'}));
  }
}
