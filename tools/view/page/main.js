// Puts the parts together: one program at a time is shown as a tree, of which some boxes are open.

const FIRST_NODES = 45;
const LEAST_FIRST_SCALE = 0.6;
const SLICE_MS = 100;

class Viewer {
  constructor() {
    this.camera = new Camera($('drawing'), () => this.redraw());
    this.painter = new Painter($('drawing'), this.camera);
    this.minimap = new Minimap($('minimap'), this.camera);
    this.profile = new Profile(this);
    this.panel = new Panel(this);
    this.search = new Search(this);
    this.timeLine = new TimeLine(this);
    this.listen();
    this.goTo(this.timeLine.steps.length - 1);
    showProblems();
  }

  listen() {
    new ResizeObserver(() => this.redraw()).observe($('drawing'));
    $('drawing').addEventListener('click', event => {
      if (!this.camera.dragged)
        this.click(nodeAt(this.root, this.camera.toDrawing(event.offsetX, event.offsetY)), event);
    });
    $('drawing').addEventListener('dblclick', event => {
      const node = nodeAt(this.root, this.camera.toDrawing(event.offsetX, event.offsetY));
      if (node && node.isBox && !this.opening) this.toggle(node);
    });
    $('sheet-close').addEventListener('click', closeSheet);
    $('fit').addEventListener('click', () => this.camera.show(placeOf(this.root)));
    $('open-all').addEventListener('click', () => this.openAll(true));
    $('close-all').addEventListener('click', () => this.openAll(false));
    document.addEventListener('keydown', event => this.key(event));
  }

  // A click on the sign in front of a box's title opens or closes it.
  click(node, event) {
    if (this.opening) return;
    if (node && node.isBox) {
      const place = placeOf(node), at = this.camera.toDrawing(event.offsetX, event.offsetY);
      if (at.x < place.x + 24 && at.y < place.y + HEADER) {
        this.toggle(node);
        return;
      }
    }
    this.select(node);
  }

  key(event) {
    if (event.key === 'Escape') {
      closeSheet();
      this.opening = false;
    }
    if (event.target.tagName === 'INPUT' || event.ctrlKey || event.metaKey) return;
    const keys = {
      '/': () => $('search').focus(),
      '+': () => this.camera.zoom(1.3),
      '-': () => this.camera.zoom(1 / 1.3),
      'f': () => this.camera.show(placeOf(this.root)),
      'ArrowLeft': () => this.camera.pan(80, 0),
      'ArrowRight': () => this.camera.pan(-80, 0),
      'ArrowUp': () => this.camera.pan(0, 80),
      'ArrowDown': () => this.camera.pan(0, -80)
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  goTo(i) {
    if (this.opening || !this.timeLine.steps[i]) return;
    const step = this.timeLine.steps[i];
    this.current = i;
    this.program = step.program;
    this.builder = new TreeBuilder(this.program);
    this.root = this.builder.build();
    this.layout = new Layout(this.builder);
    this.profile.assign(this.program);
    this.openFirst();
    this.markStep(i);
    this.relayout();
    this.showBeginning();
    this.panel.show(null);
    if (i > 0) this.panel.place.replaceChildren(...this.timeLine.about(i));
    this.timeLine.mark(i);
  }

  // All of a small program; of a larger one its first op, as large as texts need.
  showBeginning() {
    this.camera.show(placeOf(this.root));
    if (this.camera.scale >= LEAST_FIRST_SCALE) return;
    const first = this.root.children.reduce((a, b) => b.y < a.y ? b : a);
    const x = first.x + first.width / 2 - this.camera.width / 2 / LEAST_FIRST_SCALE;
    this.camera.set(x, first.y - 20, LEAST_FIRST_SCALE);
  }

  // Opens boxes from the outside in while few nodes are shown.
  openFirst() {
    let shown = this.root.children.length;
    for (let level = this.root.children; level.length;
         level = level.filter(node => node.open).flatMap(node => node.children))
      for (const node of level) {
        if (!node.isBox || shown + node.children.length > FIRST_NODES) continue;
        node.open = true;
        shown += node.children.length;
      }
  }

  // What this step added and changed, and what the next one removes.
  markStep(i) {
    const {changes} = this.painter.marks, next = this.timeLine.steps[i + 1];
    changes.clear();
    const mark = (ops, kind) =>
        ops.forEach(op => this.nodesAround(op).forEach(node => changes.set(node, kind)));
    mark(next ? next.changes.removed : [], 'removed');
    for (const kind of ['moved', 'changed', 'added']) mark(this.timeLine.steps[i].changes[kind], kind);
    const bad = new Set(data.diags.filter(([severity]) => severity === 'error').map(([, line]) => line));
    mark(this.program.ops.filter(op => op.line && bad.has(op.line)), 'removed');
  }

  // The node of an op and the boxes that hide it when they are closed.
  nodesAround(op) {
    const nodes = [];
    for (let node = this.builder.nodes.get(op); node && node.parent; node = node.parent)
      if (!nodes.length || !node.open) nodes.push(node);
    return nodes;
  }

  relayout() {
    this.layout.layOut(this.root);
    this.minimap.prepare(this.root);
    if (this.painter.marks.heat) this.painter.marks.heat = this.profile.heatOf(this.root);
    this.redraw();
  }

  // The header of the box stays where it is in the window.
  toggle(node) {
    const before = this.camera.toWindow(placeOf(node).x, placeOf(node).y);
    node.open = !node.open;
    this.markStep(this.current);
    this.relayout();
    const {x, y} = placeOf(node), {scale} = this.camera;
    this.camera.set(x - before.x / scale, y - before.y / scale, scale);
  }

  // Opens or closes all boxes; as they were if that was given up.
  async openAll(open) {
    if (this.opening) return;
    const boxes = boxesOf(this.root), before = boxes.map(box => box.open);
    for (const box of boxes) box.open = open;
    if (open && !await this.layOutInSlices(boxes))
      boxes.forEach((box, i) => {
        box.open = before[i];
      });
    this.markStep(this.current);
    this.relayout();
    this.camera.show(placeOf(this.root));
  }

  // Layouts of many boxes take long: the page answers between them, and Escape gives up. They are
  // known afterwards. Inner boxes come first.
  async layOutInSlices(boxes) {
    this.opening = true;
    let began = performance.now();
    for (let i = 0; i < boxes.length && this.opening; i++) {
      this.layout.layOutOne(boxes[i]);
      if (performance.now() - began < SLICE_MS) continue;
      $('progress').textContent = `${i + 1} of ${boxes.length} boxes laid out; Escape gives up`;
      await new Promise(done => setTimeout(done));
      began = performance.now();
    }
    $('progress').textContent = '';
    const finished = this.opening;
    this.opening = false;
    return finished;
  }

  select(node) {
    this.painter.marks.chosen = node;
    this.panel.show(node);
    this.redraw();
  }

  // Opens the boxes around an op, and shows it.
  choose(op) {
    const node = this.builder.nodes.get(this.program.byNumber.get(op.number) || op);
    if (!node || this.opening) return;
    let closed = false;
    for (let around = node.parent; around; around = around.parent) {
      closed = closed || !around.open;
      around.open = true;
    }
    if (closed) this.relayout();
    this.select(node);
    // A parameter stands in a node of another op.
    if (node.op !== op && op.holdsValue)
      this.panel.place.replaceChildren(...this.panel.about(Object.assign(new TreeNode('op', op.label, op))));
    const place = placeOf(node);
    this.camera.show(
        {x: place.x - 200, y: place.y - 150, width: place.width + 400, height: place.height + 300});
  }

  markFound(ops) {
    this.painter.marks.found = new Set(ops.map(op => this.builder.nodes.get(op)).filter(Boolean));
    this.redraw();
  }

  redraw() {
    if (this.pending || this.opening || !this.root) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.opening) return;
      this.painter.draw(this.root);
      this.minimap.draw();
      if (!this.shownAt) this.shownAt = performance.now();
    });
  }
}

document.title = data.title;
const viewer = new Viewer();
