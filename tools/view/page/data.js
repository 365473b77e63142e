'use strict';
// The data of the page, which tools/view writes: steps of records, and tables of texts. A record
// is decoded once, however many steps have it.

const data = JSON.parse(document.getElementById('data').textContent);
const textOf = number => data.strings[number];
const numbers = new Map(data.strings.map((text, number) => [text, number]));
const numberOf = text => numbers.get(text);
const pairs = list => Array.from({length: list.length / 2}, (_, i) => [list[2 * i], list[2 * i + 1]]);

// An argument list of a block: numbers of values and their types.
function decodeBlock([first, ...types]) {
  return types.map((type, i) => ({value: first + i, type: textOf(type)}));
}

class Op {
  constructor([number, name, line, parent, region, block, operands, first, types, attrs, regions, holds]) {
    Object.assign(this, {number, line, parent, region, block, operands});
    this.name = textOf(name);
    this.results = types.map((type, i) => ({value: first + i, type: textOf(type)}));
    this.rawAttrs = attrs;
    this.regions = regions.map(blocks => blocks.map(decodeBlock));
    // A parameter or constant: shown inside of the ops that read it.
    this.holdsValue = Boolean(holds) && operands.length === 0;
  }

  // By name. Most ops of a large program are never asked for all of theirs.
  get attrs() {
    this.knownAttrs ??= new Map(pairs(this.rawAttrs).map(([key, value]) => [textOf(key), textOf(value)]));
    return this.knownAttrs;
  }

  attr(name) {
    const key = numberOf(name);
    for (let i = 0; i < this.rawAttrs.length; i += 2)
      if (this.rawAttrs[i] === key) return textOf(this.rawAttrs[i + 1]);
    return '';
  }

  get label() {
    return (this.attr('op_name') || this.name).replace(/^[a-z_]+\./, '') || '(no name)';
  }

  // The layers around the op, outermost first.
  get path() {
    return this.attr('struct_name').split('/').filter(Boolean);
  }

  // The name of the parameter, input or output that it is.
  get port() {
    for (const key of ['parameter_name', 'name', 'output_name', 'value'])
      if (this.attrs.has(key)) return this.attrs.get(key);
    return '';
  }
}

const decoded = new Map();
function opOfRecord(record) {
  if (!decoded.has(record)) decoded.set(record, new Op(data.records[record]));
  return decoded.get(record);
}

// A step: the ops in the order of the text, and who defines and reads each value.
class Program {
  constructor([name, ms, records]) {
    Object.assign(this, {name, ms, records});
    this.ops = records.map(opOfRecord);
  }

  // Made when the step is first shown.
  get maps() {
    if (!this.knownMaps) {
      this.knownMaps = {numbers: new Map(), definers: new Map(), users: new Map()};
      for (const op of this.ops) this.enter(op, this.knownMaps);
    }
    return this.knownMaps;
  }

  enter(op, {numbers, definers, users}) {
    numbers.set(op.number, op);
    for (const {value} of op.results) definers.set(value, op);
    for (const {value} of op.regions.flat(2)) definers.set(value, op);
    for (const value of new Set(op.operands)) {
      if (!users.has(value)) users.set(value, []);
      users.get(value).push(op);
    }
  }

  get byNumber() {
    return this.maps.numbers;
  }
  get definers() {
    return this.maps.definers;
  }
  get users() {
    return this.maps.users;
  }

  usersOf(op) {
    return [...new Set(op.results.flatMap(({value}) => this.users.get(value) || []))];
  }

  typeOf(value) {
    const op = this.definers.get(value);
    const found = op && [...op.results, ...op.regions.flat(2)].find(result => result.value === value);
    return found ? found.type : '';
  }
}

const weights = new Map(data.weights);
const meanings = new Map(data.meanings.map(([name, ...entries]) => [name, entries]));

// "tensor<1x3xf32>" as 1x3xf32, also where a place stands in front of it.
const shortType = type => type.replace(/^[a-z_.]*tensor<(.*)>$/, '$1');
