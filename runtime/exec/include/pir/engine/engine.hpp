// The engine's C API for C++20: handles that release themselves, elements as spans, names as
// string views. Nothing here throws by itself: what may fail returns a pir_status, and the
// header builds with -fno-exceptions. It adds no symbols of its own to the binary interface.
//
//   pir::model model;
//   if (pir_status s = pir::model::load("inference.json", nullptr, {}, model)) ...
//   pir::session session;
//   if (pir_status s = pir::session::create(model, {}, session)) ...
//   std::vector<float> pixels(..);
//   session.bind_input(0, pir::tensor::over(std::span(pixels), {1, 3, 224, 224}));
//   session.run();
//   pir::tensor scores;
//   session.output(0, scores);
//   for (float s : scores.elements<float>()) ...
//
// What pir/engine/model.h says of threads, lifetimes and failures holds here.
#ifndef PIR_ENGINE_HPP
#define PIR_ENGINE_HPP

#include <pir/engine/session_arena.h>
#include <pir/engine/compiled.h>
#include <pir/engine/device_memory.h>
#include <pir/engine/generation.h>
#include <pir/engine/model.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pir {

// Zero but for their size, which the library asks for.
struct model_options : pir_model_options {
  model_options() : pir_model_options() {
    size = sizeof(pir_model_options);
  }
};
struct session_options : pir_session_options {
  session_options() : pir_session_options() {
    size = sizeof(pir_session_options);
  }
};

struct open_options : pir_open_options {
  open_options() : pir_open_options() {
    size = sizeof(pir_open_options);
  }
};
struct generation_options : pir_generation_options {
  generation_options() : pir_generation_options() {
    size = sizeof(pir_generation_options);
  }
};

inline std::string_view view(pir_str text) {
  return {text.data ? text.data : "", text.size};
}

// An element of a tensor of strings: a view, whose bytes belong to whoever made it.
//
//   std::vector<pir::string> words = {"Hello", "World"};
//   session.bind_input(0, pir::tensor::over(std::span(words), {1, 2}));
//   for (std::string_view word : output.elements<pir::string>()) ...
struct string : pir_str {
  string() : pir_str() {}
  string(std::string_view text) : pir_str{text.data(), text.size()} {}
  template <size_t N> string(const char (&literal)[N]) : string(std::string_view(literal)) {}

  operator std::string_view() const {
    return view(*this);
  }
};
static_assert(sizeof(string) == sizeof(pir_str));

// The element type of a C++ type; PIR_UNDEFINED where there is none. Elements of f16 and bf16
// are read as uint16_t by tensor::data.
template <class T> constexpr pir_dtype dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return PIR_BOOL;
  else if constexpr (std::is_same_v<U, float>)
    return PIR_F32;
  else if constexpr (std::is_same_v<U, double>)
    return PIR_F64;
  else if constexpr (std::is_same_v<U, string> || std::is_same_v<U, pir_str>)
    return PIR_PSTRING;
  else if constexpr (!std::is_integral_v<U>)
    return PIR_UNDEFINED;
  else if constexpr (sizeof(U) == 1)
    return std::is_signed_v<U> ? PIR_I8 : PIR_U8;
  else if constexpr (sizeof(U) == 2)
    return std::is_signed_v<U> ? PIR_I16 : PIR_U16;
  else if constexpr (sizeof(U) == 4)
    return std::is_signed_v<U> ? PIR_I32 : PIR_U32;
  else
    return std::is_signed_v<U> ? PIR_I64 : PIR_U64;
}

// A view of memory that the caller, or a session, owns.
struct tensor : pir_tensor {
  tensor() : pir_tensor() {}

  // Returns a dense tensor over elements. It has no element type, which every binding refuses,
  // when there are not as many of them as the shape says, or the shape has too many axes.
  template <class T> static tensor over(std::span<T> elements, std::span<const int64_t> shape) {
    static_assert(dtype_of<T>() != PIR_UNDEFINED, "tensors have no elements of this type");
    tensor t;
    if (shape.size() > PIR_MAX_RANK)
      return t;
    pir_tensor_set_dense(&t, dtype_of<T>(), shape.data(), static_cast<int32_t>(shape.size()));
    if (pir_tensor_numel(&t) != static_cast<int64_t>(elements.size()))
      return tensor();
    t.pir_tensor::data = const_cast<std::remove_cv_t<T> *>(elements.data());
    return t;
  }
  template <class T>
  static tensor over(std::span<T> elements, std::initializer_list<int64_t> shape) {
    return over(elements, std::span<const int64_t>(shape.begin(), shape.size()));
  }

  // Returns the extents.
  std::span<const int64_t> extents() const {
    return {shape, static_cast<size_t>(rank < 0 ? 0 : rank)};
  }
  // Returns the elements in row-major order; none when they have another type or lie apart.
  template <class T> std::span<T> elements() const {
    int64_t n = pir_tensor_numel(this);
    if (dtype != dtype_of<T>() || n < 0 || !pir_tensor_is_dense(this))
      return {};
    return {static_cast<T *>(data), static_cast<size_t>(n)};
  }
};

// An input or output of a model.
struct port : pir_port {
  port() : pir_port() {
    size = sizeof(pir_port);
  }

  // Returns the name, which lives as long as the model.
  std::string_view text() const {
    return view(name);
  }
  // Returns the extents, -1 where one varies; none when only a run shows the rank.
  std::span<const int64_t> extents() const {
    return {shape, static_cast<size_t>(rank < 0 ? 0 : rank)};
  }
  // Returns the names of the extents, empty where one is fixed.
  std::span<const pir_str> names() const {
    return {dims, static_cast<size_t>(rank < 0 ? 0 : rank)};
  }
};

// A reference to a model; copies refer to the same one. Empty at first.
class model {
public:
  model() = default;
  // Takes over a reference.
  explicit model(pir_model *handle) : handle_(handle) {}
  model(const model &other) : handle_(other.handle_) {
    if (handle_)
      pir_model_retain(handle_);
  }
  model(model &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  model &operator=(model other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~model() {
    if (handle_)
      pir_model_release(handle_);
  }

  // Loads a model from files (pir_model_load_file). `out` is empty after a failure.
  [[nodiscard]] static pir_status load(const char *path, const char *params,
                                       const model_options &options, model &out) {
    pir_model *handle = nullptr;
    pir_status status = pir_model_load_file(path, params, &options, &handle);
    out = model(handle);
    return status;
  }
  // Loads a model from memory (pir_model_load), which must outlive it.
  [[nodiscard]] static pir_status load(std::span<const std::byte> program,
                                       std::span<const std::byte> params,
                                       const model_options &options, model &out) {
    pir_borrowed first = {program.data(), program.size(), nullptr, nullptr};
    pir_borrowed second = {params.data(), params.size(), nullptr, nullptr};
    pir_model *handle = nullptr;
    pir_status status = pir_model_load(first, second, &options, &handle);
    out = model(handle);
    return status;
  }

  // Opens a compiled model (pir_model_open_file). `out` is empty after a failure.
  [[nodiscard]] static pir_status open(const char *path, const open_options &options,
                                       model &out) {
    pir_model *handle = nullptr;
    pir_status status = pir_model_open_file(path, &options, &handle);
    out = model(handle);
    return status;
  }
  // Opens one from memory (pir_model_open), which must outlive it.
  [[nodiscard]] static pir_status open(std::span<const std::byte> file,
                                       const open_options &options, model &out) {
    pir_model *handle = nullptr;
    pir_borrowed bytes = {file.data(), file.size(), nullptr, nullptr};
    pir_status status = pir_model_open(bytes, &options, &handle);
    out = model(handle);
    return status;
  }

  explicit operator bool() const {
    return handle_ != nullptr;
  }
  // Returns the C handle, which the model keeps.
  pir_model *get() const {
    return handle_;
  }

  // Returns the number of inputs and of outputs; 0 of an empty model.
  size_t inputs() const {
    return pir_model_inputs(handle_);
  }
  size_t outputs() const {
    return pir_model_outputs(handle_);
  }
  // Describes input or output i. PIR_NOT_FOUND: there is none.
  [[nodiscard]] pir_status input(size_t i, port &out) const {
    return pir_model_input(handle_, i, &out);
  }
  [[nodiscard]] pir_status output(size_t i, port &out) const {
    return pir_model_output(handle_, i, &out);
  }

private:
  pir_model *handle_ = nullptr;
};

// An arena for sessions that run in turn (pir/engine/session_arena.h): `arena` of their options
// is its get(). Sessions keep it; it moves, and is not copied.
class arena {
public:
  arena() = default;

  // Creates an arena. `out` is empty after a failure.
  [[nodiscard]] static pir_status create(arena &out) {
    pir_session_arena *handle = nullptr;
    pir_status status = pir_session_arena_create(nullptr, &handle);
    out.handle_.reset(handle);
    return status;
  }

  // Returns the C handle, which the arena keeps.
  pir_session_arena *get() const {
    return handle_.get();
  }
  // Returns the bytes that it holds.
  size_t bytes() const {
    return pir_session_arena_bytes(get());
  }
  // Frees them until a session needs them again; returns their number.
  size_t trim() {
    return pir_session_arena_trim(get());
  }

private:
  struct release {
    void operator()(pir_session_arena *handle) const {
      pir_session_arena_release(handle);
    }
  };
  std::unique_ptr<pir_session_arena, release> handle_;
};

// A session. It moves, and is not copied. One thread at a time.
class session {
public:
  session() = default;

  // Creates a session (pir_session_create). `out` is empty after a failure.
  [[nodiscard]] static pir_status create(const model &of, const session_options &options,
                                         session &out) {
    pir_session *handle = nullptr;
    pir_status status = pir_session_create(of.get(), &options, &handle);
    out.handle_.reset(handle);
    return status;
  }

  explicit operator bool() const {
    return handle_ != nullptr;
  }
  // Returns the C handle, which the session keeps.
  pir_session *get() const {
    return handle_.get();
  }

  // These do what the functions of pir/engine/model.h of the same names do.
  [[nodiscard]] pir_status bind_input(size_t i, const tensor &t) {
    return pir_session_bind_input(get(), i, &t);
  }
  [[nodiscard]] pir_status bind_output(size_t i, const tensor &t) {
    return pir_session_bind_output(get(), i, &t);
  }
  // Memory of the session's device.
  [[nodiscard]] pir_status bind_device_input(size_t i, const tensor &t) {
    return pir_session_bind_device_input(get(), i, &t);
  }
  [[nodiscard]] pir_status bind_device_output(size_t i, const tensor &t) {
    return pir_session_bind_device_output(get(), i, &t);
  }
  [[nodiscard]] pir_status unbind_output(size_t i) {
    return pir_session_bind_output(get(), i, nullptr);
  }
  [[nodiscard]] pir_status alias(size_t output, size_t input, int64_t most = 0) {
    return pir_session_alias(get(), output, input, most);
  }
  [[nodiscard]] pir_status unalias(size_t output) {
    return pir_session_alias(get(), output, PIR_NO_INPUT, 0);
  }
  [[nodiscard]] pir_status prepare() {
    return pir_session_prepare(get());
  }
  [[nodiscard]] pir_status run() {
    return pir_session_run(get());
  }
  [[nodiscard]] pir_status output(size_t i, tensor &out) const {
    return pir_session_output(get(), i, &out);
  }
  size_t trim() {
    return pir_session_trim(get());
  }
  // Returns the text of the last call that failed; it lives until the next call.
  std::string_view message() const {
    return pir_session_message(get());
  }

private:
  struct destroy {
    void operator()(pir_session *handle) const {
      pir_session_destroy(handle);
    }
  };
  std::unique_ptr<pir_session, destroy> handle_;
};

// Tokens, one after the other (pir/engine/generation.h). It moves, and is not copied; its
// session outlives it and does nothing else.
//
//   pir::generation g;
//   if (pir::generation::create(session, options, g) || g.feed(prompt)) ...
//   for (int64_t id : g) ...
//   if (g.status() != PIR_NOT_FOUND) ... // it did not end by itself
class generation {
public:
  generation() = default;

  // Starts to generate (pir_generation_create). `out` is empty after a failure.
  [[nodiscard]] static pir_status create(const session &of, const generation_options &options,
                                         generation &out) {
    pir_generation *handle = nullptr;
    pir_status status = pir_generation_create(of.get(), &options, &handle);
    out.handle_.reset(handle);
    out.sequences_ = options.sequences ? options.sequences : 1;
    out.status_ = status;
    return status;
  }

  explicit operator bool() const {
    return handle_ != nullptr;
  }
  // Returns the C handle, which the generation keeps.
  pir_generation *get() const {
    return handle_.get();
  }

  // Runs the model on ids of each sequence, sequence by sequence (pir_generation_feed).
  // PIR_INVALID too: not as many of each sequence.
  [[nodiscard]] pir_status feed(std::span<const int64_t> ids) {
    if (!handle_ || ids.size() % sequences_)
      return PIR_INVALID;
    return pir_generation_feed(get(), ids.data(), ids.size() / sequences_);
  }
  // Makes one token more of each sequence; `out` has an entry for each. PIR_INVALID too: it has
  // fewer.
  [[nodiscard]] pir_status next(std::span<int64_t> out) {
    status_ = handle_ && out.size() >= sequences_ ? pir_generation_next(get(), out.data())
                                                  : PIR_INVALID;
    return status_;
  }
  // Searches with the beams of the options (pir_generation_search). `out` has the best answers,
  // at most `count`, whose ids are the generation's; it is empty after a failure.
  [[nodiscard]] pir_status search(size_t count, std::vector<pir_beam> &out) {
    size_t found = 0;
    out.assign(count, pir_beam());
    pir_status status = pir_generation_search(get(), out.data(), count, &found);
    out.resize(found);
    return status;
  }
  // Returns the status of the last `next`, or step of a loop: PIR_NOT_FOUND at the end.
  pir_status status() const {
    return status_;
  }
  [[nodiscard]] pir_status stats(pir_generation_stats &out) const {
    out = pir_generation_stats();
    out.size = sizeof out;
    return pir_generation_stats_of(get(), &out);
  }

  // Tokens of a single sequence: each step makes one.
  class iterator {
  public:
    explicit iterator(generation *of) : of_(of) {
      ++*this;
    }
    int64_t operator*() const {
      return id_;
    }
    iterator &operator++() {
      if (of_->next(std::span(&id_, 1)))
        of_ = nullptr;
      return *this;
    }
    bool operator!=(std::nullptr_t) const {
      return of_ != nullptr;
    }

  private:
    generation *of_;
    int64_t id_ = PIR_NO_TOKEN;
  };
  iterator begin() {
    return iterator(this);
  }
  std::nullptr_t end() const {
    return nullptr;
  }

private:
  struct destroy {
    void operator()(pir_generation *handle) const {
      pir_generation_destroy(handle);
    }
  };
  std::unique_ptr<pir_generation, destroy> handle_;
  size_t sequences_ = 1;
  pir_status status_ = PIR_INVALID;
};

}  // namespace pir

#endif
