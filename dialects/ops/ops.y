// Grammar of `.ops` files (docs/ops.md). It builds the model and checks nothing but syntax.
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
#define YYLLOC_DEFAULT(current, rhs, n)                                                        \
  ((current) = YYRHSLOC(rhs, (n) ? 1 : 0),                                                     \
   (n) && YYRHSLOC(rhs, n).line == (current).line ? (void)((current).end_column = YYRHSLOC(rhs, n).end_column) : (void)0)
#include "build_impl.h"
int ops_yylex(YYSTYPE *value, source_loc *loc, void *scanner);
static void yyerror(source_loc *loc, void *scanner, parser *p, const char *message) {
  (void)scanner, (void)p;
  source_error(*loc, "%s", strncmp(message, "syntax error, ", 14) ? message : message + 14);
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
%token <text> HOOK "hook" ID "id" INCLUDE "include" INIT "init" INPLACE "inplace" INTARRAY "intarray" JOIN "join"
%token <text> JSON "json" KEEP "keep" KERNEL "kernel" LEGACY "legacy" LET "let" LIKE "like" LOWER "lower" NULL_ "null"
%token <text> OP "op" OPERAND "operand" OVER "over" OWN "own" PREFIX "prefix" REDUCE "reduce" REGIONS "regions" REQUIRE "require" RESULT "result"
%token <text> SHAPE "shape" REVERSE "reverse" SCALAR "scalar" SCAN "scan" SCATTER "scatter" SPLIT "split" TAKES "takes" TENSOR "tensor" THEN "then"
%token <text> TRAIT "trait" TRAP "trap" TYPESET "typeset" VIEW "view" WHEN "when" WHERE "where" WINDOW "window"

%type <text> name variable_name
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
  | DIALECT name PREFIX name ID INT json legacy_header TEXT { set_dialect(p, @1, $2, $4, $6, $9); } ;
json: %empty | JSON integer { p->d->json_id = (int)$2; } | JSON integer '=' name { p->d->json_id = (int)$2; p->d->json_name = $4; } ;
legacy_header: %empty | LEGACY { p->d->has_legacy = true; } ;
items: %empty | items item ;
item: INCLUDE TEXT                           { ops_include(p, @2, $2); }
  | LIKE TEXT                                { ops_borrow(p, @2, $2); }
  | TYPESET name '=' type_union              { add_typeset(p, @2, $2, $4.dtypes); }
  | LET { p->current = NULL; } let
  | ATTR names ':' attr_type                 { add_carried(p, $2, $4, false); }
  | ATTR EACH names ':' attr_type            { add_carried(p, $3, $5, true); }
  | FORM name likes_begin TEXT               { begin_op(p, @2, $2, $4, true); } '{' parts '}' { end_op(p); }
  | OP names likes_begin TEXT                { begin_ops(p, $2, $4); } '{' parts '}' { end_op(p); } ;
likes_begin: %empty { p->like = (names){0}; } | LIKE form_names { p->like = $2; } ;
form_names: form_name | form_names ',' form_name { $$ = join_names($1, $3); } ;
form_name: name { $$ = one_name(@1, $1, 0); }
  | name '.' name { $$ = one_name(@1, text_format("%s.%s", $1, $3), 0); } ;

name: IDENT | ALL | ALONG | ATTR | COMPUTE | CONTRACT | DECLARED | DIALECT | EACH | EFFECT | ELSE | EXCLUSIVE | FLAT | FOR | FORM | GATHER
  | HOOK | ID | INCLUDE | INIT | INPLACE | INTARRAY | JOIN | JSON | KEEP | KERNEL | LEGACY | LET | LIKE | LOWER | NULL_ | OP
  | OPERAND | OVER | OWN | PREFIX | REDUCE | REGIONS | REQUIRE | RESULT | REVERSE | SCALAR | SCAN | SCATTER | SHAPE | SPLIT | TAKES | TENSOR | THEN | TRAIT
  | TRAP | TYPESET | VIEW | WHEN | WHERE | WINDOW ;
names: name { $$ = one_name(@1, $1, 0); } | names ',' name { $$ = join_names($1, one_name(@3, $3, 0)); } ;
idents: IDENT { $$ = one_name(@1, $1, 0); } | idents ',' IDENT { $$ = join_names($1, one_name(@3, $3, 0)); } ;
marked_names: marked | marked_names ',' marked { $$ = join_names($1, $3); } ;
marked: name { $$ = one_name(@1, $1, 0); }
  | marked '?' { $$ = mark_name($1, MARK_OPTIONAL); }
  | marked '*' { $$ = mark_name($1, MARK_VARIADIC); }
  | marked '~' { $$ = mark_name($1, MARK_INTERMEDIATE); }
  | marked '!' { $$ = mark_name($1, MARK_PRECISE); } ;

parts: %empty | parts part ;
part: OPERAND marked_names ':' operand_type literal_default { add_operands(p, $2, $4, $5); }
  | TAKES names ':' tensor_type             { narrow_operands(p, $2, $4); }
  | ATTR names ':' attr_type literal_default { add_attrs(p, $2, $4, $5); }
  | RESULT marked_names ':' result_type      { add_results(p, $2, $4); }
  | TRAIT names                              { add_traits(p, $2); }
  | INPLACE pairs
  | INCLUDE names                            { take_forms(p, $2); }
  | EFFECT                                   { p->current->effect = true; }
  | HOOK hooks
  | KERNEL name                              { p->current->kernel = $2; }
  | DECLARED TEXT                            { p->current->declared = $2; }
  | OWN                                      { drop_inherited_meaning(p->current); }
  | REGIONS INT                              { p->current->regions = (int)$2; }
  | REGIONS INT ':' name                     { p->current->regions = (int)$2; set_form(p, @4, $4); }
  | LEGACY names                             { begin_legacy(p, $2); } legacy_body
  | LET let
  | COMPUTE condition IDENT '=' expr          { add_clause(p, @1, PIR_CLAUSE_POINTWISE, $3, $2)->body = $5; }
  | clause_kind condition IDENT               { add_clause(p, @1, (int)$1, $3, $2); } clause_shape '=' expr { CLAUSE->body = $7; } options
  | SHAPE condition idents '=' name           { add_shape(p, @1, $3, (clause){.when = $2, .like = $5}); }
  | SHAPE condition idents '=' '[' expr_list ']' { add_shape(p, @1, $3, (clause){.when = $2, .out = $6}); }
  | SHAPE condition idents '=' '[' EACH IDENT '<' expr ':' expr ']'
    { add_shape(p, @1, $3, (clause){.when = $2, .each = $7, .rank = $9, .extent = $11}); }
  | REQUIRE expr                             { add_requirement(p, @2, (clause){.guard = $2}); }
  | REQUIRE EACH IDENT '<' expr ':' expr
    { @2.end_column = @7.end_column, add_requirement(p, @2, (clause){.each = $3, .rank = $5, .extent = $7}); }
  | LOWER                                    { begin_lower(p, @1); } lower_when '{' steps '}' ;
pairs: pair | pairs ',' pair ;
pair: name ARROW name { APPEND(p->current->pairs, p->current->pair_count, (pair){.operand = $1, .result = $3, .loc = @1}); } ;
hooks: hook | hooks ',' hook ;
hook: name { set_hook(p, @1, $1, p->current->name); } | name '=' name { set_hook(p, @1, $1, $3); } ;

operand_type: tensor_type
  | INTARRAY             { $$ = (type_spec){.flags = PIR_OPERAND_INTARRAY, .dtype = PIR_I64}; }
  | SCALAR '<' name '>'  { $$ = scalar_type(@3, $3); } ;
tensor_type: TENSOR '<' type_union '>' { $$ = $3; }
  | TENSOR '<' name '(' name ')' '>' { $$ = tied_type(@3, $3, $5); } ;
result_type: tensor_type
  | TENSOR '<' name '(' ATTR_NAME ')' '>' { $$ = from_type(@3, $3, $5); }
  | TENSOR '<' name '(' ATTR_NAME ',' name ')' '>' { $$ = from_type(@3, $3, $5); type_otherwise(&$$, $7); } ;
type_union: name { $$ = (type_spec){.dtypes = type_named(p, @1, $1), .loc = @1}; $$.name = $1; }
  | type_union '|' name { $$ = $1; $$.dtypes |= type_named(p, @3, $3); $$.name = NULL; } ;
attr_type: name { $$ = attr_kind(@1, $1, false); }
  | name '[' ']' { $$ = attr_kind(@1, $1, true); } ;


literal_default: %empty { $$ = NULL; } | '=' literal { $$ = $2; } ;
literal: number { $$ = expr_new(EXPR_FLOAT, @1); $$->f = $1; }
  | integer { $$ = expr_new(EXPR_INT, @1); $$->i = $1; $$->f = (double)$1; }
  | TEXT { $$ = expr_new(EXPR_TEXT, @1); $$->name = $1; }
  | IDENT { $$ = expr_new(EXPR_NAME, @1); $$->name = $1; }
  | '[' literal_list ']' { $$ = expr_new(EXPR_LIST, @1); $$->a = $2; } ;
literal_list: %empty { $$ = NULL; } | literals ;
literals: literal | literals ',' literal { $$ = expr_append($1, $3); } ;
integer: INT | '-' INT { $$ = -$2; } ;
number: FLOAT | '-' FLOAT { $$ = -$2; } ;

legacy_body: %empty | '{' legacy_items '}' ;
legacy_items: legacy_item | legacy_items ',' legacy_item ;
legacy_item: name { set_legacy_slots(p, @1, $1); }
  | name ':' attr_type '=' literal { add_legacy_fixed(p, @1, $1, $3.kind, $5); }
  | name '=' legacy_old legacy_kind
    { legacy_item i = $3; i.name = $1; i.loc = @1; i.kind = $4.kind; i.element_kind = $4.element_kind; add_legacy_item(p, i); } ;
legacy_old: name { $$ = (legacy_item){.old = $1}; }
  | TEXT { $$ = (legacy_item){.old = $1}; }
  | name '|' name { $$ = (legacy_item){.old = $1, .tensor = $3}; }
  | name '|' name '|' name { $$ = (legacy_item){.old = $1, .tensor = $3, .tensors = $5}; }
  | '|' name { $$ = (legacy_item){.tensor = $2}; }
  | '|' name '|' name { $$ = (legacy_item){.tensor = $2, .tensors = $4}; } ;
legacy_kind: %empty { $$ = (type_spec){0}; } | ':' attr_type { $$ = $2; } ;

let: name '=' expr { add_let(p, @1, $1, (names){0}, $3); }
  | name '(' names ')' '=' expr { add_let(p, @1, $1, $3, $6); } ;

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
variable: variable_name '<' expr { add_variable(p, @1, $1, $3); }
  | variable_name DOTS { add_variable(p, @1, $1, NULL); } ;
variable_name: IDENT ;

lower_when: condition { LOWERING->when = $1; } ;
condition: %empty { $$ = NULL; } | WHEN expr { $$ = $2; } ;
steps: %empty | steps step { APPEND(LOWERING->steps, LOWERING->step_count, $2); } ;
step: '(' values ')' '=' TEXT '(' expr_list ')' step_attrs { $$ = take_step(p, @5, $5, $7, $9); }
  | '(' values ')' '=' TEXT '(' expr_list ')' step_attrs WHEN '(' expr ')' ELSE VALUE_NAME
    { $$ = take_step(p, @5, $5, $7, $9); $$.when = $12; $$.otherwise = $15; } ;
step: '(' values ')' '=' '[' list_items ']' { $$ = take_list(p, @5, $6); } ;
values: VALUE_NAME { p->values = one_name(@1, $1, 0); } | values ',' VALUE_NAME { p->values = join_names(p->values, one_name(@3, $3, 0)); } ;
step_attrs: %empty { $$ = NULL; } | '{' step_attr_list '}' { $$ = $2; } ;
step_attr_list: step_attr | step_attr ',' step_attr_list { $$ = $1; $$->next = $3; } ;
step_attr: name ':' expr { $$ = named_expr_new(@1, $1, $3); } ;

expr_list: %empty { $$ = NULL; } | exprs ;
exprs: expr | exprs ',' expr { $$ = expr_append($1, $3); } ;
expr: primary
  | '-' expr %prec UNARY { $$ = unary(@1, OP_NEG, $2); }
  | '!' expr %prec UNARY { $$ = unary(@1, OP_NOT, $2); }
  | '~' expr %prec UNARY { $$ = unary(@1, OP_BIT_NOT, $2); }
  | expr '+' expr { $$ = binary(@2, OP_ADD, $1, $3); }
  | expr '-' expr { $$ = binary(@2, OP_SUB, $1, $3); }
  | expr '*' expr { $$ = binary(@2, OP_MUL, $1, $3); }
  | expr '/' expr { $$ = binary(@2, OP_DIV, $1, $3); }
  | expr '%' expr { $$ = binary(@2, OP_MOD, $1, $3); }
  | expr EQ expr { $$ = binary(@2, OP_EQ, $1, $3); }
  | expr NE expr { $$ = binary(@2, OP_NE, $1, $3); }
  | expr '<' expr { $$ = binary(@2, OP_LT, $1, $3); }
  | expr '>' expr { $$ = binary(@2, OP_GT, $1, $3); }
  | expr LE expr { $$ = binary(@2, OP_LE, $1, $3); }
  | expr GE expr { $$ = binary(@2, OP_GE, $1, $3); }
  | expr AND expr { $$ = binary(@2, OP_AND, $1, $3); }
  | expr OR expr { $$ = binary(@2, OP_OR, $1, $3); }
  | expr '&' expr { $$ = binary(@2, OP_BIT_AND, $1, $3); }
  | expr '|' expr { $$ = binary(@2, OP_BIT_OR, $1, $3); }
  | expr '^' expr { $$ = binary(@2, OP_BIT_XOR, $1, $3); }
  | expr SHL expr { $$ = binary(@2, OP_SHL, $1, $3); }
  | expr SHR expr { $$ = binary(@2, OP_SHR, $1, $3); }
  | expr '?' expr ':' expr { $$ = condition(@2, $1, $3, $5); } ;
primary: INT { $$ = expr_new(EXPR_INT, @1); $$->i = $1; $$->f = (double)$1; }
  | FLOAT { $$ = expr_new(EXPR_FLOAT, @1); $$->f = $1; }
  | TEXT { $$ = expr_new(EXPR_TEXT, @1); $$->name = $1; }
  | IDENT { $$ = expr_new(EXPR_NAME, @1); $$->name = $1; }
  | NULL_ { $$ = expr_new(EXPR_NULL, @1); }
  | ATTR_NAME { $$ = expr_new(EXPR_ATTR, @1); $$->name = $1; }
  | VALUE_NAME { $$ = expr_new(EXPR_VALUE, @1); $$->name = $1; }
  | VALUE_NAME '[' INT ']' { $$ = expr_new(EXPR_MEMBER, @1); $$->name = $1; $$->i = $3; }
  | VALUE_NAME '[' INT DOTS ']' { $$ = expr_new(EXPR_REST, @1); $$->name = $1; $$->i = $3; }
  | ATTR_NAME '[' expr ']' { $$ = expr_new(EXPR_AT, @1); $$->name = $1; $$->op = 1; $$->a = $3; }
  | IDENT '(' expr_list ')' { $$ = expr_new(EXPR_CALL, @1); $$->name = $1; $$->a = $3; }
  | IDENT '[' map ']' { $$ = at(@1, $1, $3, NULL); }
  | IDENT '[' map ']' ELSE primary { $$ = at(@1, $1, $3, $6); }
  | '[' ']' { $$ = expr_new(EXPR_LIST, @1); }
  | '[' list_items ']' { $$ = expr_new(EXPR_LIST, @1); $$->a = $2; }
  | '(' expr ')' { $$ = $2; } ;
map: EACH IDENT ':' expr { $$ = each_map(@1, $2, $4); }
  | FLAT expr { $$ = flat_map(@1, $2); }
  | map_entries { $$ = list_map(@1, $1); } ;
map_entries: map_entry | map_entries ',' map_entry { $$ = expr_append($1, $3); } ;
map_entry: expr | IDENT DOTS { $$ = expr_new(EXPR_PACK, @1); $$->name = $1; } ;
list_items: list_item | list_items ',' list_item { $$ = expr_append($1, $3); } ;
list_item: expr | FOR IDENT '<' expr ':' expr { $$ = repeat(@1, $2, $4, $6); } ;
%%
