// The whole drawing in a corner, drawn once for a layout, with the window's part of it.

class Minimap {
  constructor(canvas, camera) {
    Object.assign(this, {canvas, camera});
    this.picture = document.createElement('canvas');
    canvas.addEventListener('pointerdown', event => this.go(event));
    canvas.addEventListener('pointermove', event => {
      if (event.buttons) this.go(event);
    });
  }

  // Takes the outlines of all nodes that are larger than a pixel.
  prepare(root) {
    this.scale = Math.min(180 / root.width, 260 / root.height);
    const width = Math.max(30, Math.round(root.width * this.scale)),
          height = Math.max(30, Math.round(root.height * this.scale));
    Object.assign(this.canvas, {width, height});
    Object.assign(this.picture, {width, height});
    const context = this.picture.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    this.outline(context, root, 0, 0);
  }

  outline(context, scope, x, y) {
    const {scale} = this;
    for (const child of scope.children) {
      const left = x + child.x, top = y + child.y;
      context.fillStyle = child.isBox ? 'rgba(120, 150, 200, 0.25)' : 'rgba(90, 100, 115, 0.55)';
      context.fillRect(
          left * scale, top * scale, Math.max(1, child.width * scale), Math.max(1, child.height * scale));
      if (child.open && child.width * scale > 2) this.outline(context, child, left, top);
    }
  }

  draw() {
    const context = this.canvas.getContext('2d'), {scale, camera} = this;
    context.drawImage(this.picture, 0, 0);
    context.strokeStyle = COLORS.chosen;
    context.lineWidth = 1.5;
    const left = Math.max(1, camera.x * scale), top = Math.max(1, camera.y * scale);
    const right = Math.min(this.canvas.width - 1, (camera.x + camera.width / camera.scale) * scale);
    const bottom = Math.min(this.canvas.height - 1, (camera.y + camera.height / camera.scale) * scale);
    context.strokeRect(left, top, right - left, bottom - top);
  }

  go(event) {
    const {camera, scale} = this;
    camera.set(
        event.offsetX / scale - camera.width / camera.scale / 2,
        event.offsetY / scale - camera.height / camera.scale / 2, camera.scale);
  }
}
