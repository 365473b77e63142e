// Layout: each open box is laid out by dagre for itself, the open boxes inside it first. Values
// that cross the border of a box have a place on it, a port, so that a line goes on inside.

const PORT = {
  width: 8,
  height: 4
};
// Further values share the last port, which bounds what dagre is given.
const MOST_PORTS = 16;

class Layout {
  constructor(builder) {
    this.builder = builder;
    this.known = new Map();  // results of dagre by what it was given: repeated layers are alike
  }

  // Lays out a box and the open ones inside it.
  layOut(scope) {
    for (const child of scope.children)
      if (child.open) this.layOut(child);
    this.layOutOne(scope);
  }

  // Does so where the open ones inside it are laid out already.
  layOutOne(scope) {
    scope.title = cut(scope.label);
    for (const child of scope.children)
      if (!child.open) measure(child);
    const graph = this.graphOf(scope);
    const placed = this.place(graph);
    this.take(scope, graph, placed);
  }

  // Nodes and edges by numbers: children, then ports.
  graphOf(scope) {
    const sources = new Map();
    scope.children.forEach((child, i) => child.defines.forEach(value => sources.set(value, i)));
    const graph = {
      sizes: scope.children.map(({width, height}) => ({width, height})),
      edges: new Map(),
      inPorts: new Map(),
      outPorts: new Map()
    };
    scope.children.forEach((child, i) => {
      for (const value of child.reads) this.enterRead(scope, graph, sources, value, i);
    });
    if (scope.kind !== 'root') this.enterOutputs(scope, graph);
    return graph;
  }

  enterRead(scope, graph, sources, value, to) {
    let from = sources.get(value);
    if (from === to) return;
    if (from === undefined) {
      if (scope.kind === 'root') return;
      from = portOf(graph, graph.inPorts, value);
    }
    connect(graph, from, to, value);
  }

  enterOutputs(scope, graph) {
    scope.children.forEach((child, i) => {
      for (const value of child.defines)
        if (this.builder.isReadOutside(scope, value))
          connect(graph, i, portOf(graph, graph.outPorts, value), value);
    });
  }

  place(graph) {
    const edges = [...graph.edges.values()].map(({from, to}) => [from, to]);
    const key =
        JSON.stringify([graph.sizes, edges, [...graph.inPorts.values()], [...graph.outPorts.values()]]);
    if (!this.known.has(key)) this.known.set(key, runDagre(graph, edges));
    return this.known.get(key);
  }

  // Positions are relative to the box, whose header stands above them.
  take(scope, graph, placed) {
    const top = scope.kind === 'root' ? 0 : HEADER;
    const title = scope.title.length * BOLD_LETTER + 40;
    const shift = Math.max(0, (title - placed.width) / 2);
    scope.width = Math.max(placed.width, title);
    scope.height = placed.height + top;
    scope.children.forEach((child, i) => {
      child.x = placed.nodes[i].x + shift - child.width / 2;
      child.y = placed.nodes[i].y + top - child.height / 2;
    });
    const portX = (ports, value) => placed.nodes[ports.get(value)].x + shift;
    scope.inPorts = new Map([...graph.inPorts.keys()].map(value => [value, portX(graph.inPorts, value)]));
    scope.outPorts = new Map([...graph.outPorts.keys()].map(value => [value, portX(graph.outPorts, value)]));
    scope.wires =
        [...graph.edges.values()].flatMap((edge, i) => wiresOf(scope, edge, placed.edges[i], shift, top));
  }
}

function portOf(graph, ports, value) {
  if (ports.has(value)) return ports.get(value);
  if (ports.size < MOST_PORTS) graph.sizes.push(PORT);
  const port = ports.size < MOST_PORTS ? graph.sizes.length - 1 : [...ports.values()][MOST_PORTS - 1];
  ports.set(value, port);
  return port;
}

function connect(graph, from, to, value) {
  const key = `${from}>${to}`;
  if (!graph.edges.has(key)) graph.edges.set(key, {from, to, values: []});
  graph.edges.get(key).values.push(value);
}

// Hidden nodes in front of all ports in, and behind all ports out, hold these at the border.
function runDagre(graph, edges) {
  const g = new dagre.graphlib.Graph();
  g.setGraph({
    ranksep: 26,
    nodesep: 14,
    edgesep: 8,
    marginx: 12,
    marginy: 10,
    ranker: graph.sizes.length > 40 ? 'longest-path' : 'network-simplex'
  });
  graph.sizes.forEach(({width, height}, i) => g.setNode(i, {width, height}));
  for (const [from, to] of edges) g.setEdge(from, to, {});
  hold(g, 'in', graph.inPorts, (hidden, port) => g.setEdge(hidden, port, {weight: 50}));
  hold(g, 'out', graph.outPorts, (hidden, port) => g.setEdge(port, hidden, {weight: 50}));
  dagre.layout(g);
  const {width, height} = g.graph();
  return {
    width: Number.isFinite(width) ? width : 40,
    height: Number.isFinite(height) ? height : 20,
    nodes: graph.sizes.map((_, i) => ({x: g.node(i).x, y: g.node(i).y})),
    edges: edges.map(([from, to]) => g.edge(from, to).points),
  };
}

function hold(g, name, ports, link) {
  if (!ports.size) return;
  g.setNode(name, {width: 1, height: 1});
  for (const port of ports.values()) link(name, port);
}

// The lines of an edge: one for its values, or one for each port that they have on either side.
function wiresOf(scope, {from, to, values}, points, shift, top) {
  const middle = points.map(({x, y}) => ({x: x + shift, y: y + top}));
  const wires = new Map();
  for (const value of values) {
    const wire = middle.slice();
    wire[0] = endOf(scope.children[from], value, 'outPorts') || borderPoint(wire[0], from, scope, 0);
    wire[wire.length - 1] = endOf(scope.children[to], value, 'inPorts') ||
        borderPoint(wire[wire.length - 1], to, scope, scope.height);
    wires.set(`${wire[0].x},${wire[wire.length - 1].x}`, {points: wire, value, ...boundsOf(wire)});
  }
  return [...wires.values()];
}

// Where a value leaves or enters an open box.
function endOf(child, value, ports) {
  if (!child || !child.open || !child[ports].has(value)) return null;
  return {x: child.x + child[ports].get(value), y: ports === 'inPorts' ? child.y : child.y + child.height};
}

// A line from or to a port goes up to the border of the box.
function borderPoint(point, number, scope, y) {
  return number < scope.children.length ? point : {x: point.x, y};
}

function boundsOf(points) {
  const xs = points.map(({x}) => x), ys = points.map(({y}) => y);
  return {left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys)};
}
