// Draws the tree. Nothing outside of the window is visited, nothing is drawn smaller than the
// eye sees: a box of few pixels is one rectangle, and texts and lines need a least scale.

const COLORS = {
  root: '#ffffff',
  layer: '#eef3fb',
  repeat: '#f1f7ee',
  part: '#f6f6f6',
  region: '#fdf6e9',
  op: '#fff3dc',
  arg: '#e9e3f5',
  leaf: '#ffffff',
  border: '#9aa5b5',
  text: '#1d2733',
  faint: '#5c6a7a',
  wire: '#8793a3',
  found: '#c03bd6',
  chosen: '#0b62d6',
  added: '#1a9641',
  changed: '#d98500',
  moved: '#5b7fbf',
  removed: '#c7352b',
};
const LEAST_TEXT = 0.42, LEAST_WIRE = 0.12, LEAST_BOX = 14;

class Painter {
  constructor(canvas, camera) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', {alpha: false});
    this.camera = camera;
    this.marks = {chosen: null, found: new Set(), changes: new Map(), heat: null};
  }

  fit() {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(this.camera.width * ratio), height = Math.round(this.camera.height * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height)
      Object.assign(this.canvas, {width, height});
    return ratio;
  }

  draw(root) {
    const {context, camera} = this, ratio = this.fit();
    this.drawn = 0;
    this.window = {
      left: camera.x,
      top: camera.y,
      right: camera.x + camera.width / camera.scale,
      bottom: camera.y + camera.height / camera.scale
    };
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = COLORS.root;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const scale = camera.scale * ratio;
    context.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
    context.textBaseline = 'middle';
    this.contents(root, 0, 0);
  }

  sees(left, top, right, bottom) {
    const {window} = this;
    return right >= window.left && left <= window.right && bottom >= window.top && top <= window.bottom;
  }

  contents(scope, x, y) {
    if (this.camera.scale >= LEAST_WIRE) this.wires(scope, x, y);
    for (const child of scope.children) {
      const left = x + child.x, top = y + child.y;
      if (this.sees(left, top, left + child.width, top + child.height)) this.node(child, left, top);
    }
  }

  node(node, x, y) {
    const {context, camera} = this;
    this.drawn++;
    context.fillStyle = this.fillOf(node);
    context.fillRect(x, y, node.width, node.height);
    const mark = this.markOf(node);
    if (mark || camera.scale >= LEAST_WIRE) {
      context.strokeStyle = mark || COLORS.border;
      context.lineWidth = mark ? Math.max(2.5, 2 / camera.scale) : 1;
      context.strokeRect(x, y, node.width, node.height);
    }
    if (camera.scale >= LEAST_TEXT || (node.isBox && camera.scale * 3 >= LEAST_TEXT)) this.texts(node, x, y);
    if (node.open && node.width * camera.scale >= LEAST_BOX) this.contents(node, x, y);
  }

  fillOf(node) {
    const {heat} = this.marks;
    if (heat && heat.has(node)) return heatColor(heat.get(node));
    if (node.isBox) return COLORS[node.kind];
    return node.kind === 'arg' ? COLORS.arg : COLORS.leaf;
  }

  // What an op is marked as; a closed box shows the marks of what it hides.
  markOf(node) {
    const {chosen, found, changes} = this.marks;
    if (node === chosen) return COLORS.chosen;
    if (found.has(node)) return COLORS.found;
    return changes.has(node) ? COLORS[changes.get(node)] : null;
  }

  texts(node, x, y) {
    const {context} = this;
    // A far box keeps its title as long as that fits.
    const size = node.isBox ? Math.min(12 / Math.min(1, this.camera.scale / LEAST_TEXT), 30) : 12;
    context.font = `600 ${size}px sans-serif`;
    context.fillStyle = COLORS.text;
    context.fillText(
        node.isBox ? `${node.open ? '−' : '+'} ${node.title}` : node.title, x + PAD, y + HEADER / 2 + 1,
        node.width - PAD);
    if (node.open || this.camera.scale < LEAST_TEXT) return;
    context.font = '11px sans-serif';
    context.fillStyle = COLORS.faint;
    node.lines.forEach(
        (line, i) => context.fillText(line, x + PAD, y + HEADER + LINE * (i + 0.4), node.width - PAD));
  }

  wires(scope, x, y) {
    const {context} = this;
    context.strokeStyle = COLORS.wire;
    context.lineWidth = 1.1;
    context.beginPath();
    for (const wire of scope.wires)
      if (this.sees(x + wire.left, y + wire.top, x + wire.right, y + wire.bottom))
        this.wire(wire.points, x, y);
    context.stroke();
  }

  // A curve through the middles between the points.
  wire(points, x, y) {
    const {context} = this, last = points.length - 1;
    context.moveTo(x + points[0].x, y + points[0].y);
    for (let i = 1; i < last; i++) {
      const next = i + 1 < last ?
          {x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2} :
          points[last];
      context.quadraticCurveTo(x + points[i].x, y + points[i].y, x + next.x, y + next.y);
    }
    const end = points[last];
    if (last < 2) context.lineTo(x + end.x, y + end.y);
    context.moveTo(x + end.x - 3, y + end.y - 5);
    context.lineTo(x + end.x, y + end.y);
    context.lineTo(x + end.x + 3, y + end.y - 5);
  }
}

// From white by yellow to red.
function heatColor(share) {
  const green = share < 0.5 ? 255 - 60 * share : 225 - 360 * (share - 0.5);
  return `rgb(255, ${Math.round(Math.max(60, green))}, ${Math.round(255 - 215 * Math.min(1, share * 1.6))})`;
}

// The rectangle of a node in the drawing.
function placeOf(node) {
  let {x, y} = node.parent ? node : {x: 0, y: 0};
  for (let around = node.parent; around && around.parent; around = around.parent) {
    x += around.x;
    y += around.y;
  }
  return {x, y, width: node.width, height: node.height};
}

// The innermost node that is drawn at a point.
function nodeAt(root, point) {
  let found = null, {x, y} = point;
  for (let scope = root; scope;) {
    const hit = scope.children.find(
        child => x >= child.x && y >= child.y && x <= child.x + child.width && y <= child.y + child.height);
    if (hit) {
      found = hit;
      x -= hit.x;
      y -= hit.y;
    }
    scope = hit && hit.open ? hit : null;
  }
  return found;
}
