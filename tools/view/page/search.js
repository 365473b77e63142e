// Search by operator, name, shape and attribute: every word must occur in what an op says about
// itself. "key=value" asks for an attribute.

class Search {
  constructor(viewer) {
    this.viewer = viewer;
    this.texts = new Map();
    $('search').addEventListener('input', () => this.find($('search').value));
    $('search').addEventListener('keydown', event => {
      if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
    });
  }

  textOf(op) {
    if (!this.texts.has(op)) {
      const attrs = [...op.attrs].map(([key, value]) => `${key}=${value}`);
      this.texts.set(op, [op.name, ...op.results.map(({type}) => type), ...attrs].join(' ').toLowerCase());
    }
    return this.texts.get(op);
  }

  run(query) {
    $('search').value = query;
    this.find(query);
  }

  find(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    this.hits = words.length ?
        this.viewer.program.ops.filter(op => words.every(word => this.textOf(op).includes(word))) :
        [];
    this.at = -1;
    this.viewer.markFound(this.hits);
    this.say();
    if (this.hits.length) this.step(1);
  }

  step(by) {
    if (!this.hits || !this.hits.length) return;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    this.viewer.choose(this.hits[this.at]);
    this.say();
  }

  say() {
    $('found').textContent = this.hits.length ? `${this.at + 1} of ${this.hits.length}` :
        $('search').value ? 'nothing' :
                            '';
  }
}
