/* json_text.h - names and texts of models in the JSON that commands write. No MLIR. */
#ifndef TCC_TOOLS_JSON_TEXT_H
#define TCC_TOOLS_JSON_TEXT_H
#include <jansson.h>

/* A new string of text. JSON is UTF-8, and a name of a model or file need not be: U+FFFD takes the place of each byte that is none. NULL
 * where there is no memory. */
json_t *tcc_json_text(const char *text);
#endif
