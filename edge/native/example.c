/* example MODEL.onnx INPUT SIZE ...: the first output for an input of ones, float32, of these sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnxlet.h"

int main(int count, char** words) {
  FILE* file = count > 2 ? fopen(words[1], "rb") : NULL;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) return puts("usage: example MODEL.onnx INPUT SIZE ..."), 2;
  const size_t size = (size_t)ftell(file);
  void* bytes = ol_alloc(size); /* the model's from then on */
  rewind(file);
  ol_model* model = fread(bytes, 1, size, file) == size ? ol_model_open(bytes, size) : NULL;
  ol_session* session = model != NULL ? ol_session_create(model, NULL, 0) : NULL;
  if (session == NULL) return puts(ol_last_message()), 1;

  int64_t sizes[8];
  const int rank = count - 3 < 8 ? count - 3 : 8;
  for (int i = 0; i < rank; ++i) sizes[i] = atoi(words[i + 3]);
  ol_value* input = ol_tensor_new(1, rank, sizes);
  for (size_t i = 0; i < ol_tensor_bytes(input) / sizeof(float); ++i) ((float*)ol_tensor_data(input))[i] = 1;

  ol_run* run = ol_run_new(session);
  if (ol_run_feed(run, words[2], strlen(words[2]), input) < 0 || ol_run_step(run) != OL_DONE)
    return puts(ol_last_message()), 1;
  ol_value* output = ol_run_output(run, 0);
  for (size_t i = 0; i < ol_tensor_bytes(output) / sizeof(float); ++i) printf("%.9g\n", ((float*)ol_tensor_data(output))[i]);
  return 0;
}
