// A native addon that computes: at once, with callbacks at once and later, by promise, and from a thread of its own.
// The few declarations of Node-API that it needs stand here, so that no headers have to be installed.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_ref__ *napi_ref;
typedef struct napi_deferred__ *napi_deferred;
typedef struct napi_callback_info__ *napi_callback_info;
typedef struct napi_async_work__ *napi_async_work;
typedef struct napi_threadsafe_function__ *napi_threadsafe_function;
typedef int napi_status;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
#define AUTO_LENGTH SIZE_MAX

napi_status napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
napi_status napi_set_named_property(napi_env, napi_value, const char *, napi_value);
napi_status napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
napi_status napi_get_value_int32(napi_env, napi_value, int32_t *);
napi_status napi_create_int32(napi_env, int32_t, napi_value *);
napi_status napi_get_undefined(napi_env, napi_value *);
napi_status napi_get_null(napi_env, napi_value *);
napi_status napi_create_string_utf8(napi_env, const char *, size_t, napi_value *);
napi_status napi_create_error(napi_env, napi_value, napi_value, napi_value *);
napi_status napi_call_function(napi_env, napi_value, napi_value, size_t, const napi_value *, napi_value *);
napi_status napi_create_reference(napi_env, napi_value, uint32_t, napi_ref *);
napi_status napi_get_reference_value(napi_env, napi_ref, napi_value *);
napi_status napi_delete_reference(napi_env, napi_ref);
napi_status napi_create_promise(napi_env, napi_deferred *, napi_value *);
napi_status napi_resolve_deferred(napi_env, napi_deferred, napi_value);
napi_status napi_reject_deferred(napi_env, napi_deferred, napi_value);
napi_status napi_create_async_work(napi_env, napi_value, napi_value, void (*)(napi_env, void *), void (*)(napi_env, napi_status, void *), void *, napi_async_work *);
napi_status napi_queue_async_work(napi_env, napi_async_work);
napi_status napi_delete_async_work(napi_env, napi_async_work);
napi_status napi_create_threadsafe_function(napi_env, napi_value, napi_value, napi_value, size_t, size_t, void *, void (*)(napi_env, void *, void *), void *, void (*)(napi_env, napi_value, void *, void *), napi_threadsafe_function *);
napi_status napi_call_threadsafe_function(napi_threadsafe_function, void *, int);
napi_status napi_release_threadsafe_function(napi_threadsafe_function, int);

struct work {
  int32_t number;
  napi_ref callback;
  napi_deferred deferred;
  napi_async_work work;
  napi_threadsafe_function calls;
};

static napi_value number(napi_env env, int32_t value) {
  napi_value result;
  napi_create_int32(env, value, &result);
  return result;
}

static napi_value text(napi_env env, const char *value) {
  napi_value result;
  napi_create_string_utf8(env, value, AUTO_LENGTH, &result);
  return result;
}

/** The first argument, a number, and the second. */
static int32_t arguments(napi_env env, napi_callback_info info, napi_value *second) {
  size_t count = 2;
  napi_value given[2];
  int32_t first = 0;
  napi_get_cb_info(env, info, &count, given, NULL, NULL);
  napi_get_value_int32(env, given[0], &first);
  if (second) *second = given[1];
  return first;
}

static napi_value square(napi_env env, napi_callback_info info) {
  int32_t value = arguments(env, info, NULL);
  return number(env, value * value);
}

static napi_value each(napi_env env, napi_callback_info info) {
  napi_value callback, undefined, result = NULL;
  int32_t count = arguments(env, info, &callback);
  napi_get_undefined(env, &undefined);
  for (int32_t i = 0; i < count; i++) {
    napi_value value = number(env, i);
    if (napi_call_function(env, undefined, callback, 1, &value, &result) != 0) return NULL;
  }
  return result;
}

static void compute(napi_env env, void *data) {
  struct work *work = data;
  // Longer for some than for others: which one is ready first is not known.
  usleep((useconds_t)(abs(work->number) % 3) * 700);
}

static void computed(napi_env env, napi_status status, void *data) {
  struct work *work = data;
  napi_value outcome[2], undefined, callback;
  bool failed = work->number < 0;
  napi_get_undefined(env, &undefined);
  if (failed) napi_create_error(env, text(env, "ERR_NEGATIVE"), text(env, "a negative number"), &outcome[0]);
  else napi_get_null(env, &outcome[0]);
  outcome[1] = number(env, work->number * 2);
  if (work->deferred) {
    if (failed) napi_reject_deferred(env, work->deferred, outcome[0]);
    else napi_resolve_deferred(env, work->deferred, outcome[1]);
  } else {
    napi_get_reference_value(env, work->callback, &callback);
    napi_delete_reference(env, work->callback);
    napi_call_function(env, undefined, callback, failed ? 1 : 2, outcome, NULL);
  }
  napi_delete_async_work(env, work->work);
  free(work);
}

static struct work *queue(napi_env env, int32_t value, napi_ref callback, napi_deferred deferred) {
  struct work *work = calloc(1, sizeof *work);
  *work = (struct work){ .number = value, .callback = callback, .deferred = deferred };
  napi_create_async_work(env, NULL, text(env, "addon.work"), compute, computed, work, &work->work);
  napi_queue_async_work(env, work->work);
  return work;
}

static napi_value later(napi_env env, napi_callback_info info) {
  napi_value callback;
  napi_ref reference;
  int32_t value = arguments(env, info, &callback);
  napi_create_reference(env, callback, 1, &reference);
  queue(env, value, reference, NULL);
  return NULL;
}

static napi_value promised(napi_env env, napi_callback_info info) {
  napi_deferred deferred;
  napi_value promise;
  napi_create_promise(env, &deferred, &promise);
  queue(env, arguments(env, info, NULL), NULL, deferred);
  return promise;
}

static void called(napi_env env, napi_value callback, void *context, void *data) {
  if (!env) return;
  napi_value undefined, value = number(env, (int32_t)(intptr_t)data);
  napi_get_undefined(env, &undefined);
  napi_call_function(env, undefined, callback, 1, &value, NULL);
}

static void *count(void *data) {
  struct work *work = data;
  for (int32_t i = 1; i <= work->number; i++) {
    usleep(300);
    napi_call_threadsafe_function(work->calls, (void *)(intptr_t)i, 1);
  }
  napi_release_threadsafe_function(work->calls, 0);
  free(work);
  return NULL;
}

static napi_value from_thread(napi_env env, napi_callback_info info) {
  napi_value callback;
  pthread_t thread;
  struct work *work = calloc(1, sizeof *work);
  work->number = arguments(env, info, &callback);
  napi_create_threadsafe_function(env, callback, NULL, text(env, "addon.thread"), 0, 1, NULL, NULL, NULL, called, &work->calls);
  pthread_create(&thread, NULL, count, work);
  pthread_detach(thread);
  return NULL;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  const struct { const char *name; napi_callback call; } functions[] = { { "square", square }, { "each", each }, { "later", later }, { "promised", promised }, { "fromThread", from_thread } };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    napi_value function;
    napi_create_function(env, functions[i].name, AUTO_LENGTH, functions[i].call, NULL, &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}
