// Marks up the printed text as it is streamed: a small automaton over its characters recognises
// strings, value names and the results at the start of a line. Linear, with one value name in
// memory.
#include "html.h"

#include <pir/compiler/text.h>
#include <stdio.h>
#include <string.h>

#include "stats.h"

static const char head[] =
    "<meta charset=\"utf-8\">\n<style>\n"
    "body{font:14px sans-serif;margin:1.5em}pre{font:12px/1.45 monospace;tab-size:4}\n"
    "a{color:#1a5fb4;text-decoration:none}a:hover{text-decoration:underline}b{color:#613583}i{"
    "color:#26662f;font-style:normal}\n"
    "a[id]{color:#8a3b12}:target{background:#ffe066}\n"
    "</style>\n";

enum place { RESULTS, NAME, REST };  // within the line of an op

typedef struct page {
  pir_writer out;
  bool failed, plain;  // plain: nothing is marked, only escaped
  enum place place;
  bool string, fresh;  // inside one; the line has shown nothing but spaces
  char before;
  char name[64];  // the part of a value's name read so far
  size_t name_size;
} page;

static void put_html(page *p, const char *text, size_t size) {
  if (size && !p->failed)
    p->failed = !p->out.write(p->out.user, text, size);
}

static void puts_to(page *p, const char *text) {
  put_html(p, text, strlen(text));
}

static void put_escaped(page *p, char c) {
  if (c == '<')
    puts_to(p, "&lt;");
  else if (c == '>')
    puts_to(p, "&gt;");
  else if (c == '&')
    puts_to(p, "&amp;");
  else if (c == '"')
    puts_to(p, "&quot;");
  else
    put_html(p, &c, 1);
}

// "%12" as a link, or as what links lead to.
static void end_name(page *p) {
  if (!p->name_size)
    return;
  puts_to(p, p->place == RESULTS ? "<a id=\"" : "<a href=\"#");
  put_html(p, p->name + 1, p->name_size - 1);
  puts_to(p, "\">");
  put_html(p, p->name, p->name_size);
  puts_to(p, "</a>");
  p->name_size = 0;
}

static bool goes_on(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Inside a string, which ends at a quote that is not escaped.
static void in_string(page *p, char c) {
  put_escaped(p, c);
  p->string = c != '"' || p->before == '\\';
  if (p->string)
    return;
  puts_to(p, p->place == NAME ? "</b>" : "</i>");
  if (p->place == NAME)
    p->place = REST;
}

static void take(page *p, char c) {
  if (p->string) {
    in_string(p, c);
    return;
  }
  if (p->name_size && goes_on(c) && p->name_size < sizeof p->name) {
    p->name[p->name_size++] = c;
    return;
  }
  end_name(p);
  if (c == '%') {
    p->name[p->name_size++] = c;
  } else if (c == '"') {
    p->string = true;
    puts_to(p, p->place == NAME ? "<b>" : "<i>");
    put_escaped(p, c);
  } else {
    // A line begins with results or, behind ^, with the arguments of a block.
    if (c == '\n') {
      p->place = REST;
      p->fresh = true;
    } else if (p->fresh && c != ' ') {
      p->place = c == '(' || c == '^' || c == '%' ? RESULTS : REST;
      p->fresh = false;
    } else if (c == '=' && p->place == RESULTS)
      p->place = NAME;
    put_escaped(p, c);
  }
}

static bool mark_up(void *user, const char *data, size_t size) {
  page *p = user;
  for (size_t i = 0; i < size && !p->failed; i++) {
    if (p->plain)
      put_escaped(p, data[i]);
    else
      take(p, data[i]);
    p->before = data[i];
  }
  return !p->failed;
}

pir_status html_write(const pir_program *program, pir_str title, pir_writer out) {
  page p = {.out = out, .plain = true, .place = REST, .fresh = true};
  pir_writer marked = {mark_up, &p};
  puts_to(&p, "<!DOCTYPE html>\n<title>");
  mark_up(&p, title.data, title.size);
  puts_to(&p, "</title>\n");
  put_html(&p, head, sizeof head - 1);
  puts_to(&p, "<pre>\n");
  pir_status status = stats_write(program, false, marked);
  puts_to(&p, "</pre>\n<pre>\n");
  p.plain = false;
  if (!status)
    status = pir_program_print(program, NULL, marked);
  end_name(&p);
  puts_to(&p, "</pre>\n");
  if (status)
    return status;
  return p.failed ? PIR_IO : PIR_OK;
}
