// The option tables as text, as the part of a manual page, and as a bash completion.
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// ---- text

enum { LEFT = 34, USUAL_WIDTH = 100, LEAST_WIDTH = 60 };

static int width_of_output(void) {
  struct winsize size;
  if (!cli_is_terminal(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
    return USUAL_WIDTH;
  return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
}

// Prints words from column `at` on, in lines that begin at column LEFT.
static void print_wrapped(const char *text, int at, int width) {
  while (*text) {
    int size = (int)strcspn(text, " ");
    if (at > LEFT && at + 1 + size > width) {
      printf("\n%*s", LEFT, "");
      at = LEFT;
    } else if (at > LEFT) {
      putchar(' ');
      at++;
    }
    printf("%.*s", size, text);
    at += size;
    text += size;
    text += *text == ' ';
  }
  putchar('\n');
}

static void print_option(const cli_option *o, int width) {
  char left[80];
  int n = snprintf(left, sizeof left, "  %c%c%s--%s%s%s", o->letter ? '-' : ' ',
                   o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
                   cli_option_needs_value(o) ? "=" : "", o->argument ? o->argument : "");
  fputs(left, stdout);
  if (n < LEFT - 1)
    printf("%*s", LEFT - n, "");
  else
    printf("\n%*s", LEFT, "");
  print_wrapped(o->summary, LEFT, width);
}

// Whether the tool's own table has an option of the common table.
static bool is_replaced(const cli_tool *tool, const cli_option *common) {
  for (const cli_option *o = tool->options; o->id && common->name; o++)
    if (o != common && o->name && strcmp(o->name, common->name) == 0)
      return common->id < 0;
  return false;
}

static void print_options(const cli_tool *tool, const cli_option *options, int width) {
  for (const cli_option *o = options; o->id; o++)
    if (is_replaced(tool, o))
      continue;
    else if (o->name)
      print_option(o, width);
    else
      printf("\n%s%s:%s\n", cli_colour(stdout, CLI_BOLD), o->summary,
             cli_colour(stdout, CLI_PLAIN));
}

static void print_examples(const cli_tool *tool) {
  printf("\n%sExamples:%s\n", cli_colour(stdout, CLI_BOLD), cli_colour(stdout, CLI_PLAIN));
  for (const cli_example *e = tool->examples; e && e->command; e++)
    printf("  %s\n      %s\n", e->command, e->effect);
}

static void print_text(const cli_tool *tool, const cli_option *common) {
  int width = width_of_output();
  printf("usage: %s %s\n%s\n", tool->name, tool->arguments, tool->summary);
  print_options(tool, tool->options, width);
  print_options(tool, common, width);
  print_examples(tool);
  printf(
      "\nA value stands behind = or is the next argument; one in brackets may be left out. A "
      "file is - for\nstandard input or output. Exit codes: 0 ok, 1 invalid input, 2 usage, 3 "
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

static void print_roff_option(const cli_option *o) {
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

static void print_roff_options(const cli_tool *tool, const cli_option *options) {
  for (const cli_option *o = options; o->id; o++) {
    if (is_replaced(tool, o))
      continue;
    if (o->name) {
      print_roff_option(o);
      continue;
    }
    printf(".SS ");
    print_roff(o->summary);
    putchar('\n');
  }
}

static void print_roff_examples(const cli_tool *tool) {
  printf(".SH EXAMPLES\n");
  for (const cli_example *e = tool->examples; e && e->command; e++) {
    printf(".TP\n.B ");
    print_roff(e->command);
    putchar('\n');
    print_roff(e->effect);
    putchar('\n');
  }
}

// ---- completion

static void print_words(const cli_tool *tool, const cli_option *options) {
  for (const cli_option *o = options; o->id; o++)
    if (o->name && !is_replaced(tool, o))
      printf(" --%s%s", o->name, cli_option_needs_value(o) ? "=" : "");
}

// Words that begin with a hyphen are options; others, and the values of options, are files.
static void print_bash(const cli_tool *tool, const cli_option *common) {
  printf("_%s() {\n  local word=${COMP_WORDS[COMP_CWORD]}\n  [[ $word == -* ]] || return 0\n",
         tool->name);
  printf("  mapfile -t COMPREPLY < <(compgen -W \"");
  print_words(tool, tool->options);
  print_words(tool, common);
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
    print_roff_options(tool, tool->options);
    print_roff_options(tool, common);
    print_roff_examples(tool);
  } else if (strcmp(form, "bash") == 0) {
    print_bash(tool, common);
  } else {
    return false;
  }
  return true;
}
