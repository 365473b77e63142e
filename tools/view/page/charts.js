// Charts of a profile, in a sheet over the drawing.

const CHART = {
  width: 900,
  height: 460,
  left: 70,
  bottom: 40,
  top: 16,
  right: 20
};

function showChart(title, chart) {
  $('sheet-title').textContent = title;
  $('sheet-text').replaceChildren(chart);
  $('sheet').hidden = false;
}

const label = (x, y, text, attributes = {}) =>
    shape('text', {x, y, 'font-size': 11, fill: COLORS.faint, ...attributes}, text);
const line = (x1, y1, x2, y2, attributes = {}) =>
    shape('line', {x1, y1, x2, y2, stroke: COLORS.border, ...attributes});

function frame(...children) {
  const {width, height} = CHART;
  return shape('svg', {width, height, viewBox: `0 0 ${width} ${height}`, class: 'chart'}, ...children);
}

// A scale from [least, most] to pixels; logarithms where `log`.
function scaleOf([least, most], [from, to], log = false) {
  const by = log ? Math.log10 : value => value;
  return value => from + (by(value) - by(least)) / (by(most) - by(least) || 1) * (to - from);
}

function powersOfTen([least, most]) {
  const first = Math.ceil(Math.log10(least)), last = Math.floor(Math.log10(most));
  return Array.from({length: Math.max(0, last - first + 1)}, (_, i) => 10 ** (first + i));
}

const around = values => [Math.min(...values) / 1.6, Math.max(...values) * 1.6];

// Williams, Waterman, Patterson: "Roofline", 2009: attainable rate = min(peak, intensity *
// bandwidth). The bandwidth is the largest rate of bytes that a span of this run shows.
function rooflineChart(profile) {
  const {width, height, left, bottom, top, right} = CHART;
  const sums = [...profile.byOp].filter(([, sum]) => sum.flops > 0 && sum.bytes > 0 && sum.ns > 0);
  if (!sums.length) return element('p', {}, 'no op with arithmetic');
  const peak = data.profile.peak || Math.max(...sums.map(([, {flops, ns}]) => flops / ns));
  const bandwidth = Math.max(...sums.map(([, sum]) => sum.bytes / sum.ns));
  const intensities = sums.map(([, {flops, bytes}]) => flops / bytes);
  const xs = around([...intensities, peak / bandwidth]),
        ys = around([peak, ...sums.map(([, {flops, ns}]) => flops / ns)]);
  const x = scaleOf(xs, [left, width - right], true), y = scaleOf(ys, [height - bottom, top], true);
  const roof = [[xs[0], xs[0] * bandwidth], [peak / bandwidth, peak], [xs[1], peak]].map(
      ([a, b]) => `${x(a)},${y(Math.max(ys[0], b))}`);
  const dots = sums.map(([op, sum]) => {
    const dot = shape(
        'circle', {
          cx: x(sum.flops / sum.bytes),
          cy: y(sum.flops / sum.ns),
          r: 3 + 14 * Math.sqrt(sum.ns / profile.total),
          fill: sum.compiled ? '#5b7fbf' : '#d98500',
          'fill-opacity': 0.55,
          class: 'dot'
        },
        shape('title', {}, `${op.label}: ${number(sum.ns / 1000)} µs`));
    dot.addEventListener('click', () => {
      closeSheet();
      profile.viewer.choose(op);
    });
    return dot;
  });
  return frame(
      ...powersOfTen(xs).flatMap(
          value =>
              [line(x(value), top, x(value), height - bottom, {stroke: '#e3e7ee'}),
               label(x(value), height - bottom + 16, number(value))]),
      ...powersOfTen(ys).flatMap(
          value =>
              [line(left, y(value), width - right, y(value), {stroke: '#e3e7ee'}),
               label(left - 8, y(value) + 4, number(value), {'text-anchor': 'end'})]),
      shape(
          'polyline',
          {points: roof.join(' '), fill: 'none', stroke: COLORS.removed, 'stroke-width': 2, class: 'roof'}),
      label(width - right, y(peak) - 6, `${number(peak)} GFLOP/s`, {'text-anchor': 'end'}), ...dots,
      label(width / 2, height - 6, 'flop a byte'), label(6, top, 'GFLOP/s'));
}

// Buffers as rectangles: from first to last instruction, and where they lie in the arena; above
// them the bytes in use.
function memoryChart(profile) {
  const {width, height, left, bottom, top, right} = CHART;
  const {buffers = [], size = 0} = data.profile.arena || {};
  if (!buffers.length) return element('p', {}, 'the run used no arena');
  const last = Math.max(...buffers.map(buffer => buffer[3])) + 1;
  const x = scaleOf([0, last], [left, width - right]), y = scaleOf([0, size], [height - bottom, top]);
  const boxes = buffers.map(
      ([offset, length, from, to], i) => shape(
          'rect', {
            x: x(from),
            y: y(offset + length),
            width: Math.max(1, x(to + 1) - x(from)),
            height: Math.max(0.5, y(offset) - y(offset + length)),
            fill: `hsl(${i * 47 % 360} 55% 68%)`,
            stroke: '#fff',
            'stroke-width': 0.3,
            class: 'buffer'
          },
          shape('title', {}, `${bytes(length)} at ${offset}, instructions ${from} to ${to}`)));
  return frame(
      ...boxes, shape('polyline', {
        points: liveLine(buffers, last, x, y),
        fill: 'none',
        stroke: COLORS.text,
        'stroke-width': 1.5,
        class: 'live'
      }),
      label(left - 8, top + 8, bytes(size), {'text-anchor': 'end'}),
      label(left - 8, height - bottom, '0', {'text-anchor': 'end'}),
      label(left, height - bottom + 18, 'instruction 0'),
      label(width - right, height - bottom + 18, `instruction ${last - 1}`, {'text-anchor': 'end'}));
}

function liveLine(buffers, last, x, y) {
  const change = new Array(last + 1).fill(0);
  for (const [, length, from, to] of buffers) {
    change[from] += length;
    change[to + 1] -= length;
  }
  let live = 0;
  return change.slice(0, last)
      .flatMap((by, i) => {
        live += by;
        return [`${x(i)},${y(live)}`, `${x(i + 1)},${y(live)}`];
      })
      .join(' ');
}
