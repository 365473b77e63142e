// --curve: the losses of a training, as a picture or as a page. Steps that share a column of
// the picture are drawn as the line from their least to their largest loss.
#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 800,
  HEIGHT = 400,
  LEFT = 76,
  RIGHT = 12,
  TOP = 12,
  BOTTOM = 32,
  COLUMNS = WIDTH - LEFT - RIGHT,
  ROWS = HEIGHT - TOP - BOTTOM,
  LINES = 4  // of the grid
};

static bool ends_with(const char *path, const char *ending) {
  size_t n = strlen(path), k = strlen(ending);
  return n > k && !strcmp(path + n - k, ending);
}

int fit_check_curve(const cli_run *cli, const char *path) {
  cli_output probe;
  if (!ends_with(path, ".png") && !ends_with(path, ".html"))
    return cli_bad_value(cli, "curve", path, "FILE.png or FILE.html");
  int code = cli_output_open(cli, path, &probe);
  if (!code)
    cli_output_abandon(&probe);
  return code;
}

// ---- the curve

typedef struct plot {
  uint64_t steps;
  double least, most;  // of all finite losses
  // Of each column, as rows from the top; high > low: it has no steps.
  float first[COLUMNS], low[COLUMNS], high[COLUMNS], last[COLUMNS];
} plot;

static void set_range(const fit *f, plot *p) {
  p->least = INFINITY;
  p->most = -INFINITY;
  for (uint64_t i = 0; i < f->step; i++)
    if (isfinite(f->losses[i])) {
      p->least = fmin(p->least, f->losses[i]);
      p->most = fmax(p->most, f->losses[i]);
    }
  if (p->least > p->most)
    p->least = p->most = 0;
  if (p->least == p->most)
    p->most = p->least + fmax(1e-12, fabs(p->least) * 0.01);
}

static size_t column_of(const plot *p, uint64_t step) {
  double at = p->steps > 1 ? (double)step / (double)(p->steps - 1) : 0;
  return (size_t)(at * (COLUMNS - 1) + 0.5);
}

static void set_columns(const fit *f, plot *p) {
  for (size_t c = 0; c < COLUMNS; c++) {
    p->low[c] = -1;
    p->high[c] = ROWS;
  }
  for (uint64_t i = 0; i < f->step; i++) {
    size_t c = column_of(p, i);
    float row = (float)((p->most - f->losses[i]) / (p->most - p->least) * (ROWS - 1));
    if (!isfinite(f->losses[i]))
      continue;
    if (p->high[c] > p->low[c])
      p->first[c] = row;
    p->last[c] = row;
    p->high[c] = fminf(p->high[c], row);
    p->low[c] = fmaxf(p->low[c], row);
  }
}

static double grid_loss(const plot *p, int line) {
  return p->most - (p->most - p->least) * line / LINES;
}

static uint64_t grid_step(const plot *p, int line) {
  return (p->steps - 1) * (uint64_t)line / LINES;
}

// ---- a picture

// Glyphs of 3 by 5 points; three bits a row, the uppermost row first.
static const struct {
  char c;
  uint16_t rows;
} glyphs[] = {{'0', 075557}, {'1', 026227}, {'2', 071747}, {'3', 071717}, {'4', 055711},
              {'5', 074717}, {'6', 074757}, {'7', 071111}, {'8', 075757}, {'9', 075717},
              {'.', 000002}, {'-', 000700}, {'e', 007747}, {'+', 002720}};

enum { GLYPH = 2, GLYPH_STEP = 4 * GLYPH };  // points a dot, and from one glyph to the next

static void dot(uint8_t *rgb, int x, int y, uint32_t colour) {
  if (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT)
    return;
  for (int i = 0; i < 3; i++)
    rgb[3 * (y * WIDTH + x) + i] = (uint8_t)(colour >> (16 - 8 * i));
}

static void fill_box(uint8_t *rgb, int x, int y, int width, int height, uint32_t colour) {
  for (int i = 0; i < width; i++)
    for (int k = 0; k < height; k++)
      dot(rgb, x + i, y + k, colour);
}

static void draw_text(uint8_t *rgb, int x, int y, const char *text) {
  for (; *text; text++, x += GLYPH_STEP)
    for (size_t g = 0; g < sizeof glyphs / sizeof *glyphs; g++)
      for (int i = 0; i < 15 && glyphs[g].c == *text; i++)
        if (glyphs[g].rows >> (14 - i) & 1)
          fill_box(rgb, x + i % 3 * GLYPH, y + i / 3 * GLYPH, GLYPH, GLYPH, 0x333333);
}

static void draw_grid(const plot *p, uint8_t *rgb) {
  char text[32];
  for (int line = 0; line <= LINES; line++) {
    int y = TOP + (ROWS - 1) * line / LINES, x = LEFT + (COLUMNS - 1) * line / LINES;
    fill_box(rgb, LEFT, y, COLUMNS, 1, 0xdddddd);
    fill_box(rgb, x, TOP, 1, ROWS, 0xdddddd);
    int n = snprintf(text, sizeof text, "%.4g", grid_loss(p, line));
    draw_text(rgb, LEFT - 6 - n * GLYPH_STEP, y - 2 * GLYPH, text);
    n = snprintf(text, sizeof text, "%" PRIu64, grid_step(p, line));
    x -= line == LINES ? n * GLYPH_STEP : n * GLYPH_STEP / 2;
    draw_text(rgb, x, TOP + ROWS + 8, text);
  }
}

static void fill_rows(uint8_t *rgb, int column, double a, double b) {
  int top = (int)fmin(a, b), bottom = (int)fmax(a, b);
  fill_box(rgb, LEFT + column, TOP + top, 2, bottom - top + 2, 0x1f5fbf);
}

// A line from the last step of a column to the first one of another.
static void draw_line(const plot *p, uint8_t *rgb, int from, int to) {
  double slope = (p->first[to] - p->last[from]) / (to - from);
  for (int c = from; c < to; c++)
    fill_rows(rgb, c, p->last[from] + slope * (c - from),
              p->last[from] + slope * (c + 1 - from));
}

static void draw_curve(const plot *p, uint8_t *rgb) {
  int before = -1;
  for (int c = 0; c < COLUMNS; c++) {
    if (p->high[c] > p->low[c])
      continue;
    if (before >= 0)
      draw_line(p, rgb, before, c);
    fill_rows(rgb, c, p->high[c], p->low[c]);
    before = c;
  }
}

static int write_picture(const cli_run *cli, const plot *p, const char *path) {
  uint8_t *rgb = malloc((size_t)3 * WIDTH * HEIGHT);
  if (!rgb)
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  memset(rgb, 255, (size_t)3 * WIDTH * HEIGHT);
  draw_grid(p, rgb);
  draw_curve(p, rgb);
  int code = picture_write_png(cli, path, rgb, WIDTH, HEIGHT, 3);
  free(rgb);
  return code;
}

// ---- a page

static void say(cli_output *output, const char *format, ...) PIR_PRINTF(2, 3);
static void say(cli_output *output, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  pir_writer writer = cli_output_writer(output);
  bool written = n > 0 && writer.write(writer.user, text, (size_t)n);
  (void)written;  // a failure shows in the commit
}

static void say_grid(cli_output *o, const plot *p) {
  for (int line = 0; line <= LINES; line++) {
    int y = TOP + (ROWS - 1) * line / LINES, x = LEFT + (COLUMNS - 1) * line / LINES;
    say(o, "<path d=\"M%d %dh%dM%d %dv%d\"/>", LEFT, y, COLUMNS, x, TOP, ROWS);
    say(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text>", LEFT - 6, y + 4,
        grid_loss(p, line));
    say(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%" PRIu64 "</text>\n", x,
        TOP + ROWS + 18, line == LINES ? "end" : "middle", grid_step(p, line));
  }
}

static void say_curve(cli_output *o, const plot *p) {
  say(o, "<polyline points=\"");
  for (int c = 0; c < COLUMNS; c++) {
    const float rows[] = {p->first[c], p->low[c], p->high[c], p->last[c]};
    int points = p->high[c] < p->low[c] ? 4 : 1;
    for (int i = 0; i < points && p->high[c] <= p->low[c]; i++)
      say(o, "%d,%.1f ", LEFT + c, TOP + (double)rows[i]);
  }
  say(o, "\"/>\n");
}

static int write_curve_page(const fit *f, const plot *p, const char *path) {
  cli_output o;
  int code = cli_output_open(f->r->cli, path, &o);
  if (code)
    return code;
  say(&o, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Loss</title>\n"
          "<style>body{font:14px sans-serif;color-scheme:light dark}svg{max-width:100%%}"
          "svg text{font-size:12px;fill:currentColor}svg path{stroke:#8884}"
          "svg polyline{fill:none;stroke:#3b7dd8;stroke-width:1.5}</style>\n");
  say(&o,
      "<h1>Loss</h1>\n<p>%" PRIu64 " steps of %" PRIu64 " samples, %" PRIu64
      " steps an epoch; %.6g at first, %.6g in the end.</p>\n",
      f->step, f->batch, f->steps_an_epoch, f->losses[0], f->losses[f->step - 1]);
  say(&o, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"The loss by steps\">\n", WIDTH,
      HEIGHT);
  say_grid(&o, p);
  say_curve(&o, p);
  say(&o, "</svg>\n</html>\n");
  return cli_output_commit(f->r->cli, &o);
}

int fit_write_curve(const fit *f, const char *path) {
  plot p = {.steps = f->step};
  set_range(f, &p);
  set_columns(f, &p);
  return ends_with(path, ".png") ? write_picture(f->r->cli, &p, path)
                                 : write_curve_page(f, &p, path);
}
