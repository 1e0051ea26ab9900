/* manual.c - see manual.h. An option is said once, in the table of its command; all that shows options is made of that. */
#include "tools/manual.h"
#include "tcc/runtime.h"
#include <stdio.h>

const TccOption tcc_common_options[2] = {
    {"--version", NULL, "version and build of tcc"},
    {"--help", "[=FORM]", "this text; man: as a man page; bash, zsh, fish: completion for that shell"},
};

void tcc_models_text(TccText *out) {
  static const char *const endings[] = {
#define TCC_FRONTEND(ending, importer, memory) ending,
#define TCC_MLIR(ending) ending,
#include "lib/frontend/frontends.def"
  };
  tcc_text_printf(out, "A model is a file whose name ends in ");
  tcc_text_put_words(out, endings, sizeof endings / sizeof *endings, "or");
  tcc_text_printf(out, ".");
}

typedef void Visit(const TccCommand *command, const TccOption *option);

/* All options: of the table, of all commands, and names that the command takes besides (passes). */
static void visit_options(const TccCommand *command, Visit *visit) {
  for (size_t i = 0; i < command->noptions; i++) visit(command, &command->options[i]);
  for (size_t i = 0; i < sizeof tcc_common_options / sizeof *tcc_common_options; i++) visit(command, &tcc_common_options[i]);
}

static bool has_value(const TccOption *option) { return option->value != NULL; }
static bool needs_value(const TccOption *option) { return has_value(option) && option->value[0] != '['; }
static bool is_long(const TccOption *option) { return option->name[1] == '-'; }

/* What is completed as a value: a file or folder, or nothing that a shell knows. */
static bool takes_folder(const TccOption *option) { return has_value(option) && strstr(option->value, "DIR"); }
static bool takes_file(const TccOption *option) {
  return takes_folder(option) || (has_value(option) && (strstr(option->value, "FILE") || strstr(option->value, "ARTIFACT")));
}

/* ---- man(7) ---- */
static void put_roff(const char *text) {
  bool line_start = true;
  for (; *text; text++) {
    if (line_start && (*text == '.' || *text == '\'')) printf("\\&");
    line_start = *text == '\n';
    if (*text == '\\') printf("\\e");
    else if (*text == '-') printf("\\-");
    else putchar(*text);
  }
}

static void put_roff_option(const TccCommand *command, const TccOption *option) {
  (void)command;
  printf(".TP\n\\fB");
  put_roff(option->name);
  printf("\\fR");
  if (needs_value(option)) printf(is_long(option) ? "=" : " ");
  if (has_value(option)) {
    printf("\\fI");
    put_roff(option->value);
    printf("\\fR");
  }
  printf("\n");
  put_roff(option->help);
  printf("\n");
}

static void print_man(const TccCommand *command) {
  printf(".TH %s 1 \"\" \"tcc %s\" tcc\n.SH NAME\n%s \\- ", command->name, tcc_runtime_version(), command->name);
  for (const char *c = command->summary; *c && *c != ';' && !(*c == '.' && (!c[1] || strchr(" \n", c[1]))); c++) /* one clause */
    putchar(*c == '\n' ? ' ' : *c);
  printf("\n");
  printf(".SH SYNOPSIS\n.B %s\n", command->name);
  put_roff(command->usage);
  printf("\n.SH DESCRIPTION\n");
  put_roff(command->summary);
  printf("\n.PP\nAll take \\-\\-name=VALUE and \\-\\-name VALUE; \\-\\- ends the options.\n.SH OPTIONS\n");
  visit_options(command, put_roff_option);
  if (command->takes_models) {
    TccText models = {0};
    tcc_models_text(&models);
    printf(".PP\n");
    put_roff(models.data);
    printf("\n");
    tcc_text_destroy(&models);
  }
  if (command->epilogue) {
    printf(".PP\n");
    put_roff(command->epilogue);
  }
  printf(".SH EXIT STATUS\n" TCC_EXIT_STATUS_TEXT ".\n");
  printf(
      ".SH ENVIRONMENT\n"
      ".TP\n.B TCC_CACHE_DIR\nThe compile cache; else $XDG_CACHE_HOME/tcc, else ~/.cache/tcc.\n"
      ".TP\n.B TCC_PACKED_MB\nThe most that packed weights may take there, in megabytes; 4096 if it is not set, 0: none are kept.\n"
      ".TP\n.B TCC_MACHINE\nWhat code is made for where a target names no machine; else this machine.\n"
      ".TP\n.B TCC_THREADS\nThreads where none are asked for, and the CPUs that the process counts on.\n"
      ".TP\n.B TCC_OVERSUBSCRIBE\n\\-\\-threads may be more than the CPUs that the process may use.\n"
      ".TP\n.B TCC_TUNE_DB\nThe records of tcc\\-tune; else a file in the cache.\n");
}

/* ---- shells ---- */
/* _tcc_run of tcc-run */
static void put_function_name(const TccCommand *command) {
  putchar('_');
  for (const char *c = command->name; *c; c++) putchar(*c == '-' ? '_' : *c);
}

static void put_bash_option(const TccCommand *command, const TccOption *option) {
  (void)command;
  printf(" %s%s", option->name, is_long(option) && needs_value(option) ? "=" : "");
}

static void print_bash(const TccCommand *command) {
  printf("# bash completion for %s, made by %s --help=bash\n", command->name, command->name);
  put_function_name(command);
  printf("() {\n  local options='");
  visit_options(command, put_bash_option);
  for (size_t i = 0; i < command->nmore; i++) printf(" %s", command->more[i]);
  printf(" '\n"
         "  COMPREPLY=()\n"
         "  [[ ${COMP_WORDS[COMP_CWORD]} == -* ]] || return # a file, by default\n"
         "  COMPREPLY=($(compgen -W \"$options\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
         "}\ncomplete -o default -F ");
  put_function_name(command);
  printf(" %s\n", command->name);
}

/* Within '...', one line, special characters of the shell and of `escaped` with a backslash. */
static void put_quoted(const char *text, const char *escaped) {
  for (; *text; text++) {
    if (*text == '\'') printf("'\\''");
    else if (*text == '\n') putchar(' ');
    else if (strchr(escaped, *text)) printf("\\%c", *text);
    else putchar(*text);
  }
}

static void put_zsh_option(const TccCommand *command, const TccOption *option) {
  (void)command;
  printf(" \\\n  '*%s%s[", option->name, !has_value(option) ? "" : !is_long(option) ? "" : needs_value(option) ? "=" : "=-");
  put_quoted(option->help, "[]\\");
  printf("]");
  if (has_value(option)) {
    printf("%s", needs_value(option) ? ":" : "::");
    put_quoted(option->value, ":[]\\");
    printf(":%s", takes_folder(option) ? "_files -/" : takes_file(option) ? "_files" : "");
  }
  printf("'");
}

static void print_zsh(const TccCommand *command) {
  printf("#compdef %s\n# zsh completion, made by %s --help=zsh\n_arguments", command->name, command->name);
  visit_options(command, put_zsh_option);
  for (size_t i = 0; i < command->nmore; i++) printf(" \\\n  '*%s'", command->more[i]);
  printf(" \\\n  '*:file:_files'\n");
}

static void put_fish_option(const TccCommand *command, const TccOption *option) {
  printf("complete -c %s -%s %s%s -d '", command->name, is_long(option) ? "l" : "s", option->name + (is_long(option) ? 2 : 1),
         !needs_value(option) ? ""
         : takes_file(option) ? " -r"
                              : " -x");
  put_quoted(option->help, "\\");
  printf("'\n");
}

static void print_fish(const TccCommand *command) {
  printf("# fish completion for %s, made by %s --help=fish\n", command->name, command->name);
  visit_options(command, put_fish_option);
  for (size_t i = 0; i < command->nmore; i++) printf("complete -c %s -l %s\n", command->name, command->more[i] + 2);
}

bool tcc_manual_print(const TccCommand *command, const char *form) {
  static const struct {
    const char *form;
    void (*print)(const TccCommand *command);
  } forms[] = {{"man", print_man}, {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strcmp(form, forms[i].form) == 0) return forms[i].print(command), true;
  return false;
}
