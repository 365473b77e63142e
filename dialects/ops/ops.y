// Grammar of `.ops` files (docs/reference/ops.md). It builds the model and checks nothing but
// syntax.
%code requires {
#include "parse_ops_impl.h"
}
%define api.pure full
%define api.prefix {ops_yy}
%define api.location.type {source_loc}
%define parse.error verbose
%locations
%expect 0
%lex-param {void *scanner}
%parse-param {void *scanner} {parser *p}

%code {
// The stack of the parser: it grows in the reading's memory.
#define YYMALLOC(size) ops_take(p->d->in, (size))
#define YYFREE(memory) ((void)(memory))
#define YYMAXDEPTH 4000
#define YYLLOC_DEFAULT(current, rhs, n)                                                        \
  ((current) = YYRHSLOC(rhs, (n) ? 1 : 0),                                                     \
   (n) && YYRHSLOC(rhs, n).line == (current).line ? (void)((current).end_column = YYRHSLOC(rhs, n).end_column) : (void)0)
#include "build_impl.h"
int ops_yylex(YYSTYPE *value, source_loc *loc, void *scanner);
static void yyerror(source_loc *loc, void *scanner, parser *p, const char *message) {
  (void)scanner, (void)p;
  if (!strcmp(message, "memory exhausted"))
    ops_error(*loc, "nested more than %d deep", YYMAXDEPTH);
  else
    ops_error(*loc, "%s", strncmp(message, "syntax error, ", 14) ? message : message + 14);
}
}

%union {
  const char *text;
  int64_t i;
  double f;
  bool flag;
  expr *e;
  names names;
  type_spec type;
  legacy_item legacy_item;
  clause *clause;
  named_expr *named;
  step step;
}

%token <text> IDENT "name" ATTR_NAME "$name" VALUE_NAME "%name" TEXT "text"
%token <i> INT "number"
%token <f> FLOAT "float"
%token DOTS ".." ARROW "->" EQ "==" NE "!=" LE "<=" GE ">=" AND "&&" OR "||" SHL "<<" SHR ">>"
%token <text> ALL "all" ALONG "along" ATTR "attr" COMPUTE "compute" CONTRACT "contract" DECLARED "declared" DIALECT "dialect" EACH "each"
%token <text> EFFECT "effect" ELSE "else" EXCLUSIVE "exclusive" FLAT "flat" FOR "for" FORM "form" GATHER "gather"
%token <text> GRAD "grad" HOOK "hook" ID "id" INCLUDE "include" INIT "init" INPLACE "inplace" INTARRAY "intarray" JOIN "join"
%token <text> JSON "json" KEEP "keep" KERNEL "kernel" LEGACY "legacy" LET "let" LIKE "like" LOWER "lower" NULL_ "null"
%token <text> OP "op" OPERAND "operand" OVER "over" OWN "own" PREFIX "prefix" REDUCE "reduce" REGIONS "regions" REQUIRE "require" RESULT "result"
%token <text> SHAPE "shape" REVERSE "reverse" SCALAR "scalar" SCAN "scan" SCATTER "scatter" SPLIT "split" SPMD "spmd" TAKES "takes" TENSOR "tensor" THEN "then"
%token <text> TRAIT "trait" TRAP "trap" TYPESET "typeset" VIEW "view" WHEN "when" WHERE "where" WINDOW "window"

%type <text> name word variable_name spmd_word
%type <e> condition
%type <names> names idents marked_names marked form_names form_name
%type <type> operand_type tensor_type result_type attr_type type_union legacy_kind
%type <legacy_item> legacy_old
%type <e> literal literals literal_list literal_default expr exprs expr_list primary map map_entry map_entries list_items list_item
%type <i> integer clause_kind
%type <f> number
%type <named> step_attrs step_attr_list step_attr
%type <step> step

%right '?' ':'
%left OR
%left AND
%left '|'
%left '^'
%left '&'
%left EQ NE
%left '<' '>' LE GE
%left SHL SHR
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY

%%
file: header items ;
header: %empty
  | DIALECT name prefix json legacy_header TEXT { ops_set_dialect(p, @1, $2, $6); } ;
prefix: %empty | PREFIX name ID INT { ops_set_prefix(p, @1, $2, $4); } ;
json: %empty | JSON integer { ops_set_json(p, @1, $2, NULL); } | JSON integer '=' name { ops_set_json(p, @1, $2, $4); } ;
legacy_header: %empty | LEGACY { p->d->has_legacy = true; } ;
items: %empty | items item ;
item: INCLUDE TEXT                           { ops_include(p, @2, $2); }
  | LIKE TEXT                                { ops_borrow(p, @2, $2); }
  | TYPESET name '=' type_union              { ops_add_typeset(p, @2, $2, $4.dtypes); }
  | LET { p->current = NULL; } let
  | GRAD NULL_ TEXT                          { p->no_grad = $3; }
  | ATTR names ':' attr_type                 { ops_add_carried(p, $2, $4, false); }
  | ATTR EACH names ':' attr_type            { ops_add_carried(p, $3, $5, true); }
  | FORM name likes_begin TEXT               { ops_begin_op(p, @2, $2, $4, true); } '{' parts '}' { ops_end_op(p); }
  | OP names likes_begin TEXT                { ops_begin_ops(p, $2, $4); } '{' parts '}' { ops_end_op(p); } ;
likes_begin: %empty { p->like = (names){0}; } | LIKE form_names { p->like = $2; } ;
form_names: form_name | form_names ',' form_name { $$ = ops_join_names($1, $3); } ;
form_name: name { $$ = ops_one_name(@1, $1, 0); }
  | name '.' name { $$ = ops_one_name(@1, ops_format(p->d->in, "%s.%s", $1, $3), 0); } ;

name: IDENT | ALL | ALONG | ATTR | COMPUTE | CONTRACT | DECLARED | DIALECT | EACH | EFFECT | ELSE | EXCLUSIVE | FLAT | FOR | FORM | GATHER
  | GRAD | HOOK | ID | INCLUDE | INIT | INPLACE | INTARRAY | JOIN | JSON | KEEP | KERNEL | LEGACY | LET | LIKE | LOWER | NULL_ | OP
  | OPERAND | OVER | OWN | PREFIX | REDUCE | REGIONS | REQUIRE | RESULT | REVERSE | SCALAR | SCAN | SCATTER | SHAPE | SPLIT | SPMD | TAKES | TENSOR | THEN | TRAIT
  | TRAP | TYPESET | VIEW | WHEN | WHERE | WINDOW ;
names: name { $$ = ops_one_name(@1, $1, 0); } | names ',' name { $$ = ops_join_names($1, ops_one_name(@3, $3, 0)); } ;
idents: IDENT { $$ = ops_one_name(@1, $1, 0); } | idents ',' IDENT { $$ = ops_join_names($1, ops_one_name(@3, $3, 0)); } ;
marked_names: marked | marked_names ',' marked { $$ = ops_join_names($1, $3); } ;
marked: name { $$ = ops_one_name(@1, $1, 0); }
  | marked '?' { $$ = ops_mark_name($1, MARK_OPTIONAL); }
  | marked '*' { $$ = ops_mark_name($1, MARK_VARIADIC); }
  | marked '~' { $$ = ops_mark_name($1, MARK_INTERMEDIATE); }
  | marked '!' { $$ = ops_mark_name($1, MARK_PRECISE); } ;

parts: %empty | parts part ;
part: OPERAND marked_names ':' operand_type literal_default { ops_add_operands(p, $2, $4, $5); }
  | TAKES names ':' tensor_type             { ops_narrow_operands(p, $2, $4); }
  | ATTR names ':' attr_type literal_default { ops_add_attrs(p, $2, $4, $5); }
  | RESULT marked_names ':' result_type      { ops_add_results(p, $2, $4); }
  | TRAIT names                              { ops_add_traits(p, $2); }
  | INPLACE pairs
  | INCLUDE names                            { ops_take_forms(p, $2); }
  | EFFECT                                   { p->current->effect = true; }
  | HOOK hooks
  | KERNEL name                              { ops_set_kernel(p, @2, $2); }
  | SPMD                                     { ops_begin_spmd(p, @1); } spmd
  | DECLARED TEXT                            { p->current->declared = $2; }
  | OWN                                      { ops_drop_inherited_meaning(p->current); }
  | REGIONS INT                              { ops_set_regions(p, @2, $2); }
  | REGIONS INT ':' name                     { ops_set_regions(p, @2, $2); ops_set_form(p, @4, $4); }
  | LEGACY names                             { ops_begin_legacy(p, $2); } legacy_body
  | LET let
  | COMPUTE condition IDENT '=' expr          { ops_add_clause(p, @1, PIR_CLAUSE_POINTWISE, $3, $2)->body = $5; }
  | clause_kind condition IDENT               { ops_add_clause(p, @1, (int)$1, $3, $2); } clause_shape '=' expr { CLAUSE->body = $7; } options
  | SHAPE condition idents '=' name           { ops_add_shape(p, @1, $3, (clause){.when = $2, .like = $5}); }
  | SHAPE condition idents '=' '[' expr_list ']' { ops_add_shape(p, @1, $3, (clause){.when = $2, .out = $6}); }
  | SHAPE condition idents '=' '[' EACH IDENT '<' expr ':' expr ']'
    { ops_add_shape(p, @1, $3, (clause){.when = $2, .each = $7, .rank = $9, .extent = $11}); }
  | REQUIRE expr                             { ops_add_requirement(p, @2, (clause){.guard = $2}); }
  | REQUIRE EACH IDENT '<' expr ':' expr
    { @2.end_column = @7.end_column, ops_add_requirement(p, @2, (clause){.each = $3, .rank = $5, .extent = $7}); }
  | GRAD                                     { ops_begin_grad(p, @1, NULL); } lower_when '{' steps '}'
  | GRAD IDENT                               { ops_begin_grad(p, @1, $2); } lower_when '{' steps '}'
  | GRAD NULL_ TEXT                          { p->current->no_grad = $3; }
  | LOWER                                    { ops_begin_lower(p, @1); } lower_when '{' steps '}' ;
spmd: '=' name { ops_set_spmd(p, $2); } spmd_options
  | spmd_terms ARROW { ops_spmd_results(p); } spmd_terms spmd_options ;
spmd_terms: spmd_term | spmd_terms ',' spmd_term ;
spmd_term: name { ops_spmd_term(p, @1, $1); } '[' spmd_axes ']' ;
spmd_axes: %empty | spmd_axis_list ;
spmd_axis_list: spmd_axis | spmd_axis_list ',' spmd_axis ;
spmd_axis: IDENT { ops_spmd_axis(p, @1, $1, ""); }
  | IDENT '?' { ops_spmd_axis(p, @1, $1, "?"); }
  | IDENT DOTS { ops_spmd_axis(p, @1, $1, ".."); }
  | INT { ops_spmd_axis(p, @1, $1 == 1 ? "1" : "", ""); } ;
spmd_options: %empty | spmd_options spmd_word { p->word = $2; } spmd_args ;
spmd_word: IDENT | OVER | KEEP | FLAT ;
spmd_args: spmd_arg | spmd_args ',' spmd_arg ;
spmd_arg: name { ops_spmd_option(p, @1, p->word, $1, NULL); }
  | ATTR_NAME { ops_spmd_option(p, @1, p->word, NULL, $1); }
  | name '=' ATTR_NAME { ops_spmd_option(p, @1, p->word, $1, $3); } ;
pairs: pair | pairs ',' pair ;
pair: name ARROW name { ops_add_pair(p, @1, $1, $3); } ;
hooks: hook | hooks ',' hook ;
hook: name { ops_set_hook(p, @1, $1, p->current->name); } | name '=' name { ops_set_hook(p, @1, $1, $3); } ;

operand_type: tensor_type
  | INTARRAY             { $$ = (type_spec){.flags = PIR_OPERAND_INTARRAY, .dtype = PIR_I64}; }
  | SCALAR '<' name '>'  { $$ = ops_scalar_type(@3, $3); } ;
tensor_type: TENSOR '<' type_union '>' { $$ = $3; }
  | TENSOR '<' name '(' name ')' '>' { $$ = ops_tied_type(@3, $3, $5); } ;
result_type: tensor_type
  | TENSOR '<' name '(' ATTR_NAME ')' '>' { $$ = ops_from_type(@3, $3, $5); }
  | TENSOR '<' name '(' ATTR_NAME ',' name ')' '>' { $$ = ops_from_type(@3, $3, $5); ops_type_otherwise(&$$, $7); } ;
type_union: name { $$ = (type_spec){.dtypes = ops_type_named(p, @1, $1), .loc = @1}; $$.name = $1; }
  | type_union '|' name { $$ = $1; $$.dtypes |= ops_type_named(p, @3, $3); $$.name = NULL; } ;
attr_type: name { $$ = ops_attr_kind(p, @1, $1, false); }
  | name '[' ']' { $$ = ops_attr_kind(p, @1, $1, true); } ;


literal_default: %empty { $$ = NULL; } | '=' literal { $$ = $2; } ;
literal: number { $$ = ops_expr(EXPR_FLOAT, @1); $$->f = $1; }
  | integer { $$ = ops_expr(EXPR_INT, @1); $$->i = $1; $$->f = (double)$1; }
  | TEXT { $$ = ops_expr(EXPR_TEXT, @1); $$->name = $1; }
  | IDENT { $$ = ops_expr(EXPR_NAME, @1); $$->name = $1; }
  | '[' literal_list ']' { $$ = ops_parent(EXPR_LIST, @1, NULL, $2); } ;
literal_list: %empty { $$ = NULL; } | literals ;
literals: literal | literals ',' literal { $$ = ops_chain($1, $3); } ;
integer: INT | '-' INT { $$ = -$2; } ;
number: FLOAT | '-' FLOAT { $$ = -$2; } ;

legacy_body: %empty | '{' legacy_items '}' ;
legacy_items: legacy_item | legacy_items ',' legacy_item ;
legacy_item: name { ops_set_legacy_slots(p, @1, $1); }
  | name ':' attr_type '=' literal { ops_add_legacy_fixed(p, @1, $1, $3.kind, $5); }
  | name '=' legacy_old legacy_kind
    { legacy_item i = $3; i.name = $1; i.loc = @1; i.kind = $4.kind; i.element_kind = $4.element_kind; ops_add_legacy_item(p, i); } ;
legacy_old: name { $$ = (legacy_item){.old = $1}; }
  | TEXT { $$ = (legacy_item){.old = $1}; }
  | name '|' name { $$ = (legacy_item){.old = $1, .tensor = $3}; }
  | name '|' name '|' name { $$ = (legacy_item){.old = $1, .tensor = $3, .tensors = $5}; }
  | '|' name { $$ = (legacy_item){.tensor = $2}; }
  | '|' name '|' name { $$ = (legacy_item){.tensor = $2, .tensors = $4}; } ;
legacy_kind: %empty { $$ = (type_spec){0}; } | ':' attr_type { $$ = $2; } ;

let: name '=' expr { ops_add_let(p, @1, $1, (names){0}, $3); }
  | name '(' names ')' '=' expr { ops_add_let(p, @1, $1, $3, $6); } ;

clause_kind: REDUCE { $$ = PIR_CLAUSE_REDUCE; } | SCAN { $$ = PIR_CLAUSE_SCAN; } | VIEW { $$ = PIR_CLAUSE_VIEW; }
  | GATHER { $$ = PIR_CLAUSE_GATHER; } | SCATTER { $$ = PIR_CLAUSE_SCATTER; } | CONTRACT { $$ = PIR_CLAUSE_CONTRACT; }
  | WINDOW { $$ = PIR_CLAUSE_WINDOW; } | JOIN { $$ = PIR_CLAUSE_JOIN; } | SPLIT { $$ = PIR_CLAUSE_SPLIT; } ;
clause_shape: %empty
  | '[' EACH IDENT '<' expr ':' expr ']' { CLAUSE->each = $3; CLAUSE->rank = $5; CLAUSE->extent = $7; }
  | '[' EACH IDENT ':' expr ']' { CLAUSE->each = $3; CLAUSE->out = $5; }
  | '[' map_entries ']' { CLAUSE->out = $2; } ;
options: %empty | options option ;
option: OVER ATTR_NAME       { CLAUSE->axes = $2; }
  | OVER ALL                 { CLAUSE->over_all = true; }
  | OVER                     { p->reduced = true; } variables
  | FOR                      { p->reduced = false; } variables
  | ALONG ATTR_NAME          { CLAUSE->axes = $2; }
  | LIKE name                { CLAUSE->like = $2; }
  | KEEP expr                { CLAUSE->keep = $2; }
  | FLAT expr                { CLAUSE->flat = $2; }
  | REVERSE expr             { CLAUSE->reverse = $2; }
  | EXCLUSIVE expr           { CLAUSE->exclusive = $2; }
  | INIT expr                { CLAUSE->init = $2; }
  | THEN expr                { CLAUSE->then = $2; }
  | WHERE expr               { CLAUSE->guard = $2; }
  | TRAP expr TEXT           { CLAUSE->trap = $2; CLAUSE->trap_text = $3; } ;
variables: variable | variables ',' variable ;
variable: variable_name '<' expr { ops_add_variable(p, @1, $1, $3); }
  | variable_name DOTS { ops_add_variable(p, @1, $1, NULL); } ;
variable_name: IDENT ;

lower_when: condition { LOWERING->when = $1; } ;
condition: %empty { $$ = NULL; } | WHEN expr { $$ = $2; } ;
steps: %empty | steps step { ops_add_step(p, $2); } ;
step: '(' values ')' '=' TEXT '(' expr_list ')' step_attrs { $$ = ops_take_step(p, @5, $5, $7, $9); }
  | '(' values ')' '=' TEXT '(' expr_list ')' step_attrs WHEN '(' expr ')' ELSE VALUE_NAME
    { $$ = ops_take_step(p, @5, $5, $7, $9); $$.when = $12; $$.otherwise = $15; } ;
step: '(' values ')' '=' '[' list_items ']' { $$ = ops_take_list(p, @5, $6); } ;
values: VALUE_NAME { p->values = ops_one_name(@1, $1, 0); } | values ',' VALUE_NAME { p->values = ops_join_names(p->values, ops_one_name(@3, $3, 0)); } ;
step_attrs: %empty { $$ = NULL; } | '{' step_attr_list '}' { $$ = $2; } ;
step_attr_list: step_attr | step_attr ',' step_attr_list { $$ = $1; $$->next = $3; } ;
step_attr: name ':' expr { $$ = ops_named_expr_new(@1, $1, $3); } ;

expr_list: %empty { $$ = NULL; } | exprs ;
exprs: expr | exprs ',' expr { $$ = ops_chain($1, $3); } ;
expr: primary
  | '-' expr %prec UNARY { $$ = ops_unary(@1, OP_NEG, $2); }
  | '!' expr %prec UNARY { $$ = ops_unary(@1, OP_NOT, $2); }
  | '~' expr %prec UNARY { $$ = ops_unary(@1, OP_BIT_NOT, $2); }
  | expr '+' expr { $$ = ops_binary(@2, OP_ADD, $1, $3); }
  | expr '-' expr { $$ = ops_binary(@2, OP_SUB, $1, $3); }
  | expr '*' expr { $$ = ops_binary(@2, OP_MUL, $1, $3); }
  | expr '/' expr { $$ = ops_binary(@2, OP_DIV, $1, $3); }
  | expr '%' expr { $$ = ops_binary(@2, OP_MOD, $1, $3); }
  | expr EQ expr { $$ = ops_binary(@2, OP_EQ, $1, $3); }
  | expr NE expr { $$ = ops_binary(@2, OP_NE, $1, $3); }
  | expr '<' expr { $$ = ops_binary(@2, OP_LT, $1, $3); }
  | expr '>' expr { $$ = ops_binary(@2, OP_GT, $1, $3); }
  | expr LE expr { $$ = ops_binary(@2, OP_LE, $1, $3); }
  | expr GE expr { $$ = ops_binary(@2, OP_GE, $1, $3); }
  | expr AND expr { $$ = ops_binary(@2, OP_AND, $1, $3); }
  | expr OR expr { $$ = ops_binary(@2, OP_OR, $1, $3); }
  | expr '&' expr { $$ = ops_binary(@2, OP_BIT_AND, $1, $3); }
  | expr '|' expr { $$ = ops_binary(@2, OP_BIT_OR, $1, $3); }
  | expr '^' expr { $$ = ops_binary(@2, OP_BIT_XOR, $1, $3); }
  | expr SHL expr { $$ = ops_binary(@2, OP_SHL, $1, $3); }
  | expr SHR expr { $$ = ops_binary(@2, OP_SHR, $1, $3); }
  | expr '?' expr ':' expr { $$ = ops_condition(@2, $1, $3, $5); } ;
primary: INT { $$ = ops_expr(EXPR_INT, @1); $$->i = $1; $$->f = (double)$1; }
  | FLOAT { $$ = ops_expr(EXPR_FLOAT, @1); $$->f = $1; }
  | TEXT { $$ = ops_expr(EXPR_TEXT, @1); $$->name = $1; }
  | word { $$ = ops_expr(EXPR_NAME, @1); $$->name = $1; }
  | NULL_ { $$ = ops_expr(EXPR_NULL, @1); }
  | ATTR_NAME { $$ = ops_expr(EXPR_ATTR, @1); $$->name = $1; }
  | VALUE_NAME { $$ = ops_expr(EXPR_VALUE, @1); $$->name = $1; }
  | VALUE_NAME '[' INT ']' { $$ = ops_expr(EXPR_MEMBER, @1); $$->name = $1; $$->i = $3; }
  | VALUE_NAME '[' INT DOTS ']' { $$ = ops_expr(EXPR_REST, @1); $$->name = $1; $$->i = $3; }
  | ATTR_NAME '[' expr ']' { $$ = ops_parent(EXPR_AT, @1, $1, $3); $$->op = 1; }
  | word '(' expr_list ')' { $$ = ops_parent(EXPR_CALL, @1, $1, $3); }
  | word '[' map ']' { $$ = ops_at(@1, $1, $3, NULL); }
  | word '[' map ']' ELSE primary { $$ = ops_at(@1, $1, $3, $6); }
  | '[' ']' { $$ = ops_expr(EXPR_LIST, @1); }
  | '[' list_items ']' { $$ = ops_parent(EXPR_LIST, @1, NULL, $2); }
  | '(' expr ')' { $$ = $2; } ;
word: IDENT | GRAD ;
map: EACH IDENT ':' expr { $$ = ops_each_map(@1, $2, $4); }
  | FLAT expr { $$ = ops_flat_map(@1, $2); }
  | map_entries { $$ = ops_list_map(@1, $1); } ;
map_entries: map_entry | map_entries ',' map_entry { $$ = ops_chain($1, $3); } ;
map_entry: expr | IDENT DOTS { $$ = ops_expr(EXPR_PACK, @1); $$->name = $1; } ;
list_items: list_item | list_items ',' list_item { $$ = ops_chain($1, $3); } ;
list_item: expr | FOR IDENT '<' expr ':' expr { $$ = ops_repeat(@1, $2, $4, $6); } ;
%%
