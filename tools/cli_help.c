// The option tables as text, as the part of a manual page, and as a bash completion.
#include "cli.h"

#include <stdio.h>
#include <string.h>

// ---- text

static void print_options(const cli_option *options) {
  for (const cli_option *o = options; o->id; o++) {
    char left[80];
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
             cli_option_needs_value(o) ? "=" : "", o->argument ? o->argument : "");
    printf("  %-32s %s\n", left, o->summary);
  }
}

static void print_text(const cli_tool *tool, const cli_option *common) {
  printf("usage: %s %s\n%s\n\noptions:\n", tool->name, tool->arguments, tool->summary);
  print_options(tool->options);
  print_options(common);
  printf("\nA file is - for standard input. Exit codes: 0 ok, 1 invalid input, 2 usage, 3 "
         "unsupported,\n"
         "4 comparison failed, 5 limit hit, 70 internal error.\n");
}

// ---- manual pages

// Prints text in which no character is a command of roff.
static void print_roff(const char *text) {
  for (; *text; text++) {
    if (*text == '\\')
      fputs("\\e", stdout);
    else if (*text == '-')
      fputs("\\-", stdout);
    else if (*text == '.' || *text == '\'')
      printf("\\&%c", *text);
    else
      putchar(*text);
  }
}

static void print_roff_options(const cli_option *options) {
  for (const cli_option *o = options; o->id; o++) {
    printf(".TP\n");
    if (o->letter)
      printf("\\fB\\-%c\\fR, ", o->letter);
    printf("\\fB\\-\\-");
    print_roff(o->name);
    printf("\\fR");
    if (cli_option_needs_value(o))
      putchar('=');
    printf("\\fI");
    print_roff(o->argument ? o->argument : "");
    printf("\\fR\n");
    print_roff(o->summary);
    putchar('\n');
  }
}

// ---- completion

static void print_words(const cli_option *options) {
  for (const cli_option *o = options; o->id; o++)
    printf(" --%s%s", o->name, cli_option_needs_value(o) ? "=" : "");
}

// Words that begin with a hyphen are options; others, and the values of options, are files.
static void print_bash(const cli_tool *tool, const cli_option *common) {
  printf("_%s() {\n  local word=${COMP_WORDS[COMP_CWORD]}\n  [[ $word == -* ]] || return 0\n",
         tool->name);
  printf("  mapfile -t COMPREPLY < <(compgen -W \"");
  print_words(tool->options);
  print_words(common);
  printf("\" -- \"$word\")\n"
         "  [[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n"
         "  return 0\n}\n"
         "complete -o default -F _%s %s\n",
         tool->name, tool->name);
}

bool cli_print_help(const cli_tool *tool, const cli_option *common, const char *form) {
  if (!form) {
    print_text(tool, common);
  } else if (strcmp(form, "man") == 0) {
    print_roff_options(tool->options);
    print_roff_options(common);
  } else if (strcmp(form, "bash") == 0) {
    print_bash(tool, common);
  } else {
    return false;
  }
  return true;
}
