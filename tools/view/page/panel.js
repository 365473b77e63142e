// The panel at the side: everything about the chosen op or box.

class Panel {
  constructor(viewer) {
    this.viewer = viewer;
    this.place = $('panel');
  }

  show(node) {
    this.place.replaceChildren(...(node ? this.about(node) : this.overview()));
    this.place.scrollTop = 0;
  }

  about(node) {
    const {op} = node;
    if (!op) return [element('h2', {}, node.label), ...this.boxParts(node)];
    return [
      element('h2', {}, op.name), this.summary(op), ...this.opParts(node, op),
      ...(node.isBox ? this.boxParts(node) : [])
    ];
  }

  // The first quoted text of the entry.
  summary(op) {
    const found = /"([^"\n]*)"/.exec(meanings.get(op.name)?.[0] ?? '');
    return element('p', {class: 'summary'}, found ? found[1] : 'not declared by the library');
  }

  opParts(node, op) {
    const {program} = this.viewer;
    const parts = [this.source(op), this.attributes(op)];
    parts.push(this.values(
        'Operands',
        op.operands.map(
            value => ({value, type: program.typeOf(value), ops: [program.definers.get(value)]}))));
    parts.push(this.values(
        'Results', op.results.map(({value, type}) => ({value, type, ops: program.users.get(value) || []}))));
    for (const held of [op, ...node.held.filter(held => held !== op)]) parts.push(this.weights(held));
    parts.push(this.viewer.profile.about(op), codeSection(op), this.meaning(op));
    return parts.filter(Boolean);
  }

  source(op) {
    const lines = [];
    if (op.line) lines.push(`${data.title}:${op.line}`);
    if (op.attrs.has('op_callstack')) lines.push(op.attrs.get('op_callstack'));
    return lines.length ? section('Source', element('pre', {id: 'source-line'}, lines.join('\n'))) : null;
  }

  attributes(op) {
    const rows = [...op.attrs].filter(([key]) => key !== 'op_callstack');
    return rows.length ? section('Attributes', table(rows, {id: 'attributes'})) : null;
  }

  values(title, list) {
    const rows = list.map(
        ({value, type, ops}) =>
            [value < 0 ? 'absent' : `%${value}`,
             shortType(type),
             element('span', {}, ...ops.filter(Boolean).flatMap(op => [this.linkTo(op), ' '])),
    ]);
    return rows.length ? section(title, table(rows, {id: title.toLowerCase()})) : null;
  }

  linkTo(op) {
    return link(op.port || op.label, () => this.viewer.choose(op));
  }

  weights(op) {
    const statistics = [...op.attrs.values()].map(value => weights.get(value)).find(Boolean);
    if (!statistics)
      return op.attrs.has('parameter_name') ?
          section(`Weights of ${op.port}`, element('p', {}, 'not read: no parameter file')) :
          null;
    const rows = ['dtype', 'shape', 'count', 'least', 'most', 'mean', 'deviation', 'zeros', 'nan', 'infinite']
                     .filter(key => statistics[key] !== undefined)
                     .map(
                         key =>
                             [key,
                              Array.isArray(statistics[key]) ? `[${statistics[key].join(', ')}]` :
                                  typeof statistics[key] === 'number' ? number(statistics[key]) :
                                                                        statistics[key]]);
    return element(
        'div', {class: 'weights'},
        section(`Weights of ${op.port}`, table(rows), statistics.bins ? histogram(statistics) : ''));
  }

  meaning(op) {
    const entries = meanings.get(op.name);
    return entries ?
        section('Declaration', ...entries.map(entry => element('pre', {class: 'meaning'}, entry))) :
        null;
  }

  boxParts(node) {
    return [
      element('p', {class: 'summary'}, `${node.count} ops`),
      element('p', {}, link(node.open ? 'Close the box' : 'Open the box', () => this.viewer.toggle(node))),
      this.histogram(leavesOf(node).filter(leaf => leaf.op).map(leaf => leaf.op))
    ];
  }

  overview() {
    const {program} = this.viewer;
    const inputs = program.ops.filter(op => op.operands.length === 0 && op.attrs.has('name'));
    return [
      element('h2', {}, data.title), element('p', {class: 'summary'}, `${program.ops.length} ops`),
      this.values(
          'Inputs',
          inputs.map(
              op => ({value: op.results[0]?.value ?? -1, type: op.results[0]?.type ?? '', ops: [op]}))),
      this.histogram(program.ops)
    ].filter(Boolean);
  }

  histogram(ops) {
    const counts = new Map();
    for (const op of ops) counts.set(op.name, (counts.get(op.name) || 0) + 1);
    const rows = [...counts]
                     .sort((a, b) => b[1] - a[1])
                     .map(([name, count]) => [String(count), link(name, () => this.viewer.search.run(name))]);
    return section('Operators', table(rows, {id: 'operators'}));
  }
}

function histogram({bins, least, most}) {
  const highest = Math.max(1, ...bins), width = 256, height = 60;
  const bars = bins.map((count, i) => shape('rect', {
                          x: i * width / bins.length,
                          y: height - height * count / highest,
                          width: width / bins.length - 1,
                          height: height * count / highest,
                          fill: '#5b7fbf'
                        }));
  return element(
      'div', {class: 'histogram'}, shape('svg', {width, height, viewBox: `0 0 ${width} ${height}`}, ...bars),
      element('div', {class: 'axis'}, element('span', {}, number(least)), element('span', {}, number(most))));
}
