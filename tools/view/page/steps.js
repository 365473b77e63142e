// The time line: a button for each pass. Ops have numbers that last over all steps, and an op
// that did not change has the same record.

const CHANGES = ['added', 'changed', 'moved', 'removed'];

class Step {
  constructor(before, after) {
    this.program = after;
    const old = new Map(before ? before.ops.map(op => [op.number, op]) : []);
    this.changes = {added: [], changed: [], moved: [], removed: []};
    for (const op of before ? after.ops : []) {
      const was = old.get(op.number);
      old.delete(op.number);
      if (!was)
        this.changes.added.push(op);
      else if (was !== op)
        this.changes[sameButPlace(was, op) ? 'moved' : 'changed'].push(op);
    }
    this.changes.removed.push(...old.values());
  }

  get isIdle() {
    return CHANGES.every(kind => this.changes[kind].length === 0);
  }
}

// Whether an op was only taken into another region.
function sameButPlace(a, b) {
  return a.name === b.name && String(a.operands) === String(b.operands) &&
      String([...a.attrs]) === String([...b.attrs]) &&
      String(a.results.map(({type}) => type)) === String(b.results.map(({type}) => type));
}

class TimeLine {
  constructor(viewer) {
    this.viewer = viewer;
    const programs =
        (data.steps.length ? data.steps : [['nothing was read', -1, []]]).map(step => new Program(step));
    this.steps = programs.map((program, i) => new Step(programs[i - 1], program));
    $('steps').hidden = this.steps.length < 2;
    const longest = Math.max(...programs.map(({ms}) => ms), 0.001);
    $('steps').replaceChildren(...this.steps.map((step, i) => this.button(step, i, longest)));
  }

  button(step, i, longest) {
    const {name, ms, ops} = step.program;
    const counts = CHANGES.filter(kind => step.changes[kind].length)
                       .map(
                           kind => element(
                               'span', {class: kind},
                               `${{added: '+', changed: '~', moved: '→', removed: '−'}[kind]}${
                                   step.changes[kind].length} `));
    return element(
        'button',
        {class: step.isIdle && i ? 'step idle' : 'step', title: name, onclick: () => this.viewer.goTo(i)},
        element('i', {style: `height: ${Math.max(1, 20 * Math.max(0, ms) / longest)}px`}),
        element('b', {}, name.replace(/_pass$/, '')),
        element('p', {}, `${ops.length} ops${ms >= 0 ? `, ${number(ms)} ms` : ''} `, ...counts));
  }

  mark(current) {
    [...$('steps').children].forEach((button, i) => button.classList.toggle('current', i === current));
  }

  // What a step changed, for the panel.
  about(i) {
    const {changes, program} = this.steps[i];
    const lists = CHANGES.filter(kind => changes[kind].length)
                      .map(
                          kind => section(
                              `${changes[kind].length} ${kind}`,
                              element(
                                  'ul', {class: kind, id: `list-${kind}`},
                                  ...changes[kind].slice(0, 300).map(
                                      op => element('li', {}, this.entry(kind, op, i))))));
    return [
      element('h2', {}, program.name),
      element('p', {class: 'summary'}, `step ${i} of ${this.steps.length - 1}, ${program.ops.length} ops`),
      ...lists
    ];
  }

  // An op that is gone is shown where it last was.
  entry(kind, op, i) {
    const text = `${op.label} ${op.results.length ? shortType(op.results[0].type) : ''}`;
    return link(text, () => {
      if (kind === 'removed') this.viewer.goTo(i - 1);
      this.viewer.choose(op);
    });
  }
}
