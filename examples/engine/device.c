// Images and scores in the memory of a device. Without one the engine says why and goes on.
#include "engine.h"

#include <pir/engine/device.h>
#include <pir/engine/device_memory.h>

#include <math.h>

// The device, and memory of it for the images and for the scores of two runs.
typedef struct on_device {
  pir_device *device;
  pir_queue *queue;
  pir_model *model;
  pir_session *session;
  void *images, *scores[2];
} on_device;

enum { IMAGE_BYTES = IMAGES * PIXELS * sizeof(float), SCORE_BYTES = IMAGES * CLASSES * 4 };

static pir_status begin(engine *e, on_device *d) {
  pir_message message;
  pir_model_options how = {.size = sizeof how, .target = "cuda"};
  pir_status status = pir_queue_create(d->device, NULL, &d->queue, &message);
  if (!status)
    status = load_again(e, &how, &d->model);
  if (!status)
    status = pir_session_create(d->model, NULL, &d->session);
  if (!status)
    status = pir_queue_take(d->queue, IMAGE_BYTES, &d->images);
  for (int i = 0; !status && i < 2; i++)
    status = pir_queue_take(d->queue, SCORE_BYTES, &d->scores[i]);
  return status;
}

static void end(on_device *d) {
  pir_session_destroy(d->session);
  pir_model_release(d->model);
  pir_queue_give(d->queue, d->images, IMAGE_BYTES);
  for (int i = 0; i < 2; i++)
    pir_queue_give(d->queue, d->scores[i], SCORE_BYTES);
  EXPECT(!d->queue || pir_queue_trim(d->queue) > 0);
  pir_queue_destroy(d->queue);
}

// Sets the images of the device, and waits: they must be complete before a run.
static void upload_images(on_device *d, const engine *e) {
  EXPECT(pir_queue_upload(d->queue, d->images, e->pixels, IMAGE_BYTES) == PIR_OK);
  EXPECT(pir_queue_wait(d->queue) == PIR_OK && !pir_queue_message(d->queue)[0]);
}

// A device adds in another order than the processor.
static void check_scores(on_device *d, const engine *e, int which) {
  float scores[IMAGES * CLASSES] = {0};
  EXPECT(pir_queue_download(d->queue, scores, d->scores[which], SCORE_BYTES) == PIR_OK);
  EXPECT(pir_queue_wait(d->queue) == PIR_OK);
  for (int i = 0; i < IMAGES * CLASSES; i++)
    EXPECT(fabsf(scores[i] - e->scores[i]) < 1e-5f);
}

static void run_in_its_memory(on_device *d, engine *e) {
  pir_tensor images = images_of(e), first = scores_in(d->scores[0]), out, columns;
  images.data = d->images;
  columns = images;
  columns.strides[3] = 8;
  columns.strides[2] = 1;
  EXPECT(pir_session_bind_device_input(d->session, 0, &columns) == PIR_INVALID);
  EXPECT(pir_session_message(d->session)[0]);
  EXPECT(pir_session_bind_device_input(d->session, 1, &images) == PIR_NOT_FOUND);
  EXPECT(pir_session_bind_device_input(d->session, 0, &images) == PIR_OK);
  EXPECT(pir_session_bind_device_output(d->session, 0, &first) == PIR_OK);
  upload_images(d, e);
  EXPECT(pir_session_run(d->session) == PIR_OK);
  EXPECT(pir_session_output(d->session, 0, &out) == PIR_OK && out.data == d->scores[0]);
  check_scores(d, e, 0);
  EXPECT(pir_queue_copy(d->queue, d->scores[1], d->scores[0], SCORE_BYTES) == PIR_OK);
  check_scores(d, e, 1);

  // The next run leaves its scores on the host.
  EXPECT(pir_session_bind_device_output(d->session, 0, NULL) == PIR_OK);
  EXPECT(pir_session_run(d->session) == PIR_OK);
  EXPECT(pir_session_output(d->session, 0, &out) == PIR_OK && out.data != d->scores[0]);
  for (int i = 0; i < IMAGES * CLASSES; i++)
    EXPECT(fabs(pir_tensor_float_at(&out, i) - (double)e->scores[i]) < 1e-5);
}

void use_device_memory(engine *e) {
  on_device d = {0};
  pir_message message = {{0}};
  pir_tensor images = images_of(e);
  pir_session *session;

  // A model of the processor takes no memory of a device.
  if (!EXPECT(pir_session_create(e->model, NULL, &session) == PIR_OK))
    return;
  EXPECT(pir_session_bind_device_input(session, 0, &images) == PIR_UNSUPPORTED);
  EXPECT(pir_session_message(session)[0]);
  pir_session_destroy(session);

  EXPECT(pir_device_is_kind("cuda") && !pir_device_is_kind("native"));
  pir_status status = pir_device_open("cuda", 0, NULL, &d.device, &message);
  if (status) {
    EXPECT(status == PIR_UNAVAILABLE && message.text[0]);
    printf("no device: %s\n", message.text);
    return;
  }
  printf("device: %s, %s, driver %d\n", pir_device_name(d.device), pir_device_target(d.device),
         pir_device_driver(d.device));
  if (EXPECT(begin(e, &d) == PIR_OK))
    run_in_its_memory(&d, e);
  end(&d);
  pir_device_close(d.device);
}
