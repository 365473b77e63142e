// Which part of the drawing the window shows: its corner in the drawing, and the scale.

class Camera {
  constructor(canvas, changed) {
    Object.assign(this, {canvas, changed, x: 0, y: 0, scale: 1});
    this.pointer = null;
    canvas.addEventListener('wheel', event => this.wheel(event), {passive: false});
    canvas.addEventListener('pointerdown', event => this.begin(event));
    canvas.addEventListener('pointermove', event => this.move(event));
    canvas.addEventListener('pointerup', () => {
      this.pointer = null;
    });
  }

  get width() {
    return this.canvas.clientWidth;
  }
  get height() {
    return this.canvas.clientHeight;
  }

  toDrawing(x, y) {
    return {x: this.x + x / this.scale, y: this.y + y / this.scale};
  }

  toWindow(x, y) {
    return {x: (x - this.x) * this.scale, y: (y - this.y) * this.scale};
  }

  set(x, y, scale) {
    this.scale = Math.min(4, Math.max(0.002, scale));
    Object.assign(this, {x, y});
    this.changed();
  }

  pan(dx, dy) {
    this.set(this.x - dx / this.scale, this.y - dy / this.scale, this.scale);
  }

  // The point of the drawing under (x, y) stays where it is.
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const fixed = this.toDrawing(x, y);
    const scale = Math.min(4, Math.max(0.002, this.scale * factor));
    this.set(fixed.x - x / scale, fixed.y - y / scale, scale);
  }

  // Shows a rectangle of the drawing in the middle, at most at `most`.
  show(rect, most = 1) {
    const scale = Math.min(most, this.width / (rect.width + 40), this.height / (rect.height + 40));
    this.set(
        rect.x + rect.width / 2 - this.width / 2 / scale, rect.y + rect.height / 2 - this.height / 2 / scale,
        scale);
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
  }

  begin(event) {
    this.pointer = {x: event.offsetX, y: event.offsetY};
    this.dragged = false;
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.pointer) return;
    const dx = event.offsetX - this.pointer.x, dy = event.offsetY - this.pointer.y;
    if (!this.dragged && Math.hypot(dx, dy) < 4) return;
    this.dragged = true;
    this.pointer = {x: event.offsetX, y: event.offsetY};
    this.pan(dx, dy);
  }
}
