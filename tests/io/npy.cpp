// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/core/any_tensor.hpp>
#include <tfgraph/core/print.hpp>
#include <tfgraph/io/npy.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <locale>
#include <new>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

namespace {

std::atomic<std::size_t> largest_request{0};

void* noted(std::size_t bytes, std::size_t alignment) {
  if (bytes > largest_request) largest_request = bytes;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, bytes > 0 ? bytes : alignment)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t n) { return noted(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) {
  return noted(n, static_cast<std::size_t>(a));
}
// Not inlined, or g++ takes new and delete for a mismatched pair.
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

namespace {

namespace tg = tfgraph;
using tg::any_tensor;
using tg::dtype;
using tg::dyn;
using tg::tensor;
using tg::view;

// ---- files in memory ---------------------------------------------------------------------------

// A stream that cannot be positioned, like a pipe.
class pipe_buffer : public std::streambuf {
 public:
  explicit pipe_buffer(std::string bytes) : bytes_(std::move(bytes)) {
    setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
  }

 private:
  std::string bytes_;
};

any_tensor load(const std::string& bytes) {
  std::istringstream in(bytes);
  return tg::load_npy(in);
}
any_tensor load_from_pipe(const std::string& bytes) {
  pipe_buffer buffer(bytes);
  std::istream in(&buffer);
  return tg::load_npy(in);
}

template <class X>
std::string saved(const X& x) {
  std::ostringstream out;
  tg::save_npy(out, x);
  return out.str();
}

// A file with this header, as it stands.
std::string file_with(const std::string& header, const std::string& elements, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 255);
  return bytes + header + elements;
}
std::string bytes_of(std::initializer_list<int> values) {
  std::string bytes;
  for (const int v : values) bytes += static_cast<char>(v);
  return bytes;
}

// The sentence of the io_error, without its "load_npy: the stream: ".
std::string refusal(const std::string& bytes) {
  const std::string prefix = "load_npy: the stream: ";
  try {
    const any_tensor a = load(bytes);
  } catch (const tg::io_error& e) {
    const std::string text = e.what();
    REQUIRE(text.starts_with(prefix));
    return text.substr(prefix.size());
  }
  return "nothing";
}
std::string refused_header(const std::string& header) {
  return refusal(file_with(header, std::string(64, '\0')));
}
std::string refused_type(const std::string& descr) {
  return refused_header("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,), }\n");
}
std::string refused_shape(const std::string& shape) {
  return refused_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}\n");
}

// ---- headers by hand ---------------------------------------------------------------------------

TEST_CASE("what is written, byte by byte") {
  // The length of each header is such that the elements start at a multiple of 64.
  const std::string matrix = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }" +
                             std::string(58, ' ') + '\n' +
                             bytes_of({0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0});
  REQUIRE(matrix.size() == 128 + 8);
  CHECK(saved(tensor<float, 2, 1>{{1}, {-2.5f}}) == matrix);
  CHECK(saved(any_tensor(tensor<float, dyn, 1>{{1}, {-2.5f}})) == matrix);

  const std::string vector = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                             "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }" +
                             std::string(60, ' ') + '\n' + bytes_of({1, 0, 1});
  CHECK(saved(tensor<bool, 3>{true, false, true}) == vector);

  const std::string scalar = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                             "{'descr': '<u2', 'fortran_order': False, 'shape': (), }" +
                             std::string(62, ' ') + '\n' + bytes_of({0x34, 0x12});
  CHECK(saved(std::uint16_t{0x1234}) == scalar);
  CHECK(saved(tensor<std::uint16_t>(0x1234)) == scalar);
}

TEST_CASE("views are written in row-major order") {
  const int numbers[] = {0, 1, 2, 3, 4, 5};
  const view<const int, 3, 2> columns(numbers, {3, 2}, {{1, 3}});
  CHECK(load(saved(columns)) == any_tensor(tensor<int, 3, 2>{{0, 3}, {1, 4}, {2, 5}}));
  CHECK(load(saved(tg::any_view(columns))) == load(saved(columns)));
  CHECK(load(saved(view(numbers))) == any_tensor(tensor<int, 6>{0, 1, 2, 3, 4, 5}));
}

TEST_CASE("headers that Python would read the same") {
  const std::string elements = bytes_of({1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0});
  const any_tensor expected = tensor<std::int16_t, 2, 3>{{1, 2, 3}, {4, 5, 6}};
  for (const std::string header :
       {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr':'<i2','fortran_order':False,'shape':(2,3)}",
        "  {  \"shape\" : ( 2 , 3 , ) , \"fortran_order\" : False , \"descr\" : \"<i2\" }  \n \n",
        "{'shape': (2L, 3L), 'descr': 'i2', 'fortran_order': False}",
        "{'shape':\n(2, 3),\t'descr': '=i2', 'fortran_order': False}",
        "{'shape': (2, 3), 'descr': '|i2', 'fortran_order': False}"})
    for (const int version : {1, 2, 3}) {
      CAPTURE(header);
      CHECK(load(file_with(header, elements, version)) == expected);
      CHECK(load_from_pipe(file_with(header, elements, version)) == expected);
    }
  const std::string big = "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3)}";
  CHECK(load(file_with(big, bytes_of({0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}))) == expected);
  const std::string columns = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3)}";
  CHECK(load(file_with(columns, bytes_of({1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0}))) == expected);
}

TEST_CASE("bools are true where a byte is not 0") {
  const any_tensor a = load(
      file_with("{'descr': '?', 'fortran_order': False, 'shape': (3,)}", bytes_of({0, 2, 255})));
  CHECK(a == any_tensor(tensor<bool, 3>{false, true, true}));
  CHECK(saved(a).ends_with(bytes_of({0, 1, 1})));
}

TEST_CASE("arrays that follow each other in a stream") {
  std::stringstream stream;
  tg::save_npy(stream, tensor<int, 2>{1, 2});
  tg::save_npy(stream, 2.5);
  tg::save_npy(stream, tensor<bool, dyn>());
  CHECK(tg::load_npy(stream) == any_tensor(tensor<int, 2>{1, 2}));
  CHECK(tg::load_npy(stream) == any_tensor(2.5));
  CHECK(tg::load_npy(stream) == any_tensor(tensor<bool, dyn>()));
  CHECK_THROWS_AS((void)tg::load_npy(stream), tg::io_error);
}

// ---- what is refused ---------------------------------------------------------------------------

TEST_CASE("files that are not NumPy's") {
  const std::string no_magic = "it does not start with the magic string of NumPy's files";
  CHECK(refusal("") == "it ends within the magic string and the version");
  CHECK(refusal("PK\x03\x04 and so on") == no_magic);
  CHECK(refusal(std::string("\x93NUMPX\x01\x00\x00\x00", 10)) == no_magic);
  CHECK(refusal(std::string("\x93NUMPY\x04\x00\x00\x00", 10)) ==
        "the version 4.0 of the format is not known");
  CHECK(refusal(std::string("\x93NUMPY\x01\x01\x00\x00", 10)) ==
        "the version 1.1 of the format is not known");
  CHECK(refusal(std::string("\x93NUMPY\x00\x00\x00\x00", 10)) ==
        "the version 0.0 of the format is not known");
  CHECK(refusal(std::string("\x93NUMPY\x02\x00\x10\x00", 10)) ==
        "it ends within the length of the header");
  CHECK(refusal(std::string("\x93NUMPY\x01\x00\x10\x00{'descr'", 18)) ==
        "it ends within the header");
  CHECK(refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)) ==
        "the header of 4294967295 bytes is too long");
}

TEST_CASE("headers that are not what they should be") {
  CHECK(refused_header("") == "the header is not a Python dict");
  CHECK(refused_header("[1, 2]") == "the header is not a Python dict");
  CHECK(refused_header("{}") == "the header lacks the key 'descr'");
  CHECK(refused_header("{") == "the header lacks a key in quotes");
  CHECK(refused_header("{3: 4}") == "the header lacks a key in quotes");
  CHECK(refused_header("{'descr") == "the header has a text without an end");
  CHECK(refused_header("{'descr' '<f4'}") == "the header lacks ':' after a key");
  CHECK(refused_header("{'descr': '<f4' 'shape': ()}") ==
        "the header lacks '}' at the end of the dict");
  CHECK(refused_header("{'descr': '<f4', 'shape': ()}") ==
        "the header lacks the key 'fortran_order'");
  CHECK(refused_header("{'descr': '<f4', 'fortran_order': False}") ==
        "the header lacks the key 'shape'");
  CHECK(refused_header("{'descr': '<f4', 'descr': '<f4'}") ==
        "the header has the key 'descr' twice");
  CHECK(refused_header("{'shape': (), 'shape': ()}") == "the header has the key 'shape' twice");
  CHECK(refused_header("{'\x1b[2J': 1}") == "the header has the unknown key '?[2J'");
  CHECK(refused_header("{'descr': '<f4', 'fortran_order': False, 'shape': ()} 1") ==
        "the header goes on after the dict");
  CHECK(refused_header("{'fortran_order': 0}") == "'fortran_order' is neither True nor False");
}

TEST_CASE("element types that tensors lack") {
  for (const std::string type : {"O", "<c8", "<c16", "<f2", "<f16", "<U4", "|S3", "|V8", "<M8[ns]",
                                 "<m8", "<i3", "f", "", "<", "<<f4", "f4 ", "b8", "float32"}) {
    CAPTURE(type);
    CHECK(refused_type("'" + type + "'") ==
          "the elements are of the type '" + type + "', which tensors lack");
  }
  CHECK(refused_type("[('a', '<f4'), ('b', '<i4')]") ==
        "the elements are of a structured type, which tensors lack");
  CHECK(refused_type("4") == "the header lacks an element type in quotes");
}

TEST_CASE("shapes that tensors lack") {
  CHECK(refused_shape("4") == "the header lacks '(' at the start of a shape");
  CHECK(refused_shape("(4)") == "the shape is not a tuple");
  CHECK(refused_shape("(-1,)") == "an extent is negative");
  CHECK(refused_shape("(,)") == "an extent is not a number");
  CHECK(refused_shape("(+4,)") == "an extent is not a number");
  CHECK(refused_shape("(007,)") == "an extent is not a number");
  CHECK(refused_shape("(2, None)") == "an extent is not a number");
  CHECK(refused_shape("(2 3)") == "the header lacks ',' between two extents");
  CHECK(refused_shape("(2, 3") == "the header lacks ',' between two extents");
  CHECK(refused_shape("(1, 1, 1, 1, 1, 1, 1, 1, 1)") == "the array has more than 8 dimensions");
  CHECK(refused_shape("(9223372036854775808,)") == "an extent is too large");
  CHECK(refused_shape("(9223372036854775807,)") ==
        "tensor: a tensor of shape (9223372036854775807) is too large");
  CHECK(refused_shape("(0, 4294967296, 4294967296)") ==
        "tensor: a tensor of shape (0, 4294967296, 4294967296) is too large");
  CHECK(refused_shape("(5, 5)") == "it holds 64 bytes of elements instead of 100");
}

TEST_CASE("a header that promises too much costs no memory") {
  const std::string header =
      "{'descr': '<f8', 'fortran_order': True, 'shape': (1099511627776, 1000)}";
  const std::string bytes = file_with(header, std::string(100000, 'x'));
  largest_request = 0;
  CHECK_THROWS_AS((void)load(bytes), tg::io_error);
  CHECK_THROWS_AS((void)load_from_pipe(bytes), tg::io_error);
  CHECK(largest_request < 300000);
}

TEST_CASE("large arrays come through a pipe") {
  tensor<std::int32_t, dyn> t(300001);
  for (std::size_t i = 0; i < t.size(); ++i) t(i) = static_cast<std::int32_t>(i * i % 1000003);
  CHECK(load_from_pipe(saved(t)) == any_tensor(t));
  CHECK(load(saved(t)) == any_tensor(t));
}

// ---- mutations ---------------------------------------------------------------------------------

// Whatever the bytes are, there is an array, whose elements can be read, or an io_error.
bool ends_well(const std::string& bytes) {
  bool well = true;
  for (auto* read : {&load, &load_from_pipe}) {
    try {
      const any_tensor a = read(bytes);
      tg::visit(a, [&](const auto& v) {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < v.size(); ++i) sum += v.flat(i) != 0;
        well = well && sum <= v.size() && a.owns() && a.is_contiguous();
      });
      well = well && load(saved(a)).shape() == a.shape();
    } catch (const tg::io_error&) {
    }
  }
  return well;
}

TEST_CASE("every damaged file ends in an array or an io_error") {
  const std::string elements(24, '\5');
  const std::vector<std::string> files = {
      saved(tensor<float, 2, 3>{{1, 2, 3}, {4, 5, 6}}), saved(tensor<bool, dyn>()),
      file_with("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 2)}\n", elements, 2),
      file_with("{'shape':(3,),'descr':'|u8','fortran_order':False}", elements, 3),
      file_with("{'shape':(),'descr':'?','fortran_order':False}", elements)};
  const std::string inserted =
      bytes_of({0, '0', '9', '-', '\'', ',', '(', ')', '{', '}', 0x93, 255});
  int ended_badly = 0;
  for (const std::string& file : files) {
    REQUIRE(ends_well(file));
    for (std::size_t i = 0; i < file.size(); ++i) {
      ended_badly += !ends_well(file.substr(0, i));
      ended_badly += !ends_well(file.substr(0, i) + file.substr(i + 1));
      for (const char c : inserted)
        ended_badly += !ends_well(file.substr(0, i) + c + file.substr(i));
      for (int value = 0; value < 256; ++value) {
        std::string damaged = file;
        damaged[i] = static_cast<char>(value);
        ended_badly += !ends_well(damaged);
      }
    }
  }
  CHECK(ended_badly == 0);
}

// ---- files on disk -----------------------------------------------------------------------------

// A folder of its own, which goes with it.
struct temporary_folder {
  std::filesystem::path path;
  temporary_folder() {
    for (int i = 0;; ++i) {
      path = std::filesystem::temp_directory_path() / ("tfgraph_npy_" + std::to_string(i));
      if (std::filesystem::create_directory(path)) return;
    }
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path); }
};

template <class F>
std::string io_message(F f) {
  try {
    f();
  } catch (const tg::io_error& e) {
    return e.what();
  }
  return "nothing";
}

TEST_CASE("files on disk, and the names of those that fail") {
  const temporary_folder folder;
  const auto path = folder.path / "a.npy";
  const tensor<double, dyn, 2> t{{1, 2}, {3, 4}};
  tg::save_npy(path, t);
  CHECK(tg::load_npy(path).to<tensor<double, dyn, 2>>() == t);
  tg::save_npy(path.string(), 1.0f);  // replaces the file
  CHECK(tg::load_npy(path.string()) == any_tensor(1.0f));

  // What follows the array does not matter, as in NumPy.
  std::ofstream(path, std::ios_base::binary | std::ios_base::app) << "more";
  CHECK(tg::load_npy(path) == any_tensor(1.0f));

  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
  CHECK(io_message([&] { (void)tg::load_npy(path); }) ==
        "load_npy: " + path.string() + ": it holds 3 bytes of elements instead of 4");
  const auto missing = folder.path / "missing" / "b.npy";
  CHECK(io_message([&] { (void)tg::load_npy(missing); }) ==
        "load_npy: " + missing.string() + ": it cannot be opened");
  CHECK(io_message([&] { tg::save_npy(missing, t); }) ==
        "save_npy: " + missing.string() + ": it cannot be opened");
  CHECK(io_message([&] { (void)tg::load_npy(folder.path); }).starts_with("load_npy: "));
  if (std::filesystem::exists("/dev/full"))
    CHECK(io_message([&] { tg::save_npy("/dev/full", t); }) ==
          "save_npy: /dev/full: it cannot be written");
}

TEST_CASE("streams that fail") {
  std::istringstream in(saved(1.0));
  in.setstate(std::ios_base::failbit);
  CHECK_THROWS_AS((void)tg::load_npy(in), tg::io_error);
  std::ostringstream out;
  out.setstate(std::ios_base::badbit);
  CHECK_THROWS_AS(tg::save_npy(out, 1.0), tg::io_error);
  // A stream that throws itself.
  std::ostringstream throwing;
  throwing.exceptions(std::ios_base::badbit | std::ios_base::failbit);
  throwing.rdbuf()->pubsetbuf(nullptr, 0);
  tg::save_npy(throwing, 1.0);
  CHECK(load(throwing.str()) == any_tensor(1.0));
}

// Numbers as nobody writes them.
struct odd_numbers : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\1"; }
  std::string do_truename() const override { return "yes"; }
};
// Turns a into b on the way to and from a file.
struct odd_bytes : std::codecvt<char, char, std::mbstate_t> {
  bool do_always_noconv() const noexcept override { return false; }
  result do_out(std::mbstate_t&, const char* from, const char* from_end, const char*& from_next,
                char* to, char* to_end, char*& to_next) const override {
    for (; from != from_end && to != to_end; ++from, ++to) *to = *from == 'a' ? 'b' : *from;
    from_next = from;
    to_next = to;
    return ok;
  }
  result do_in(std::mbstate_t& s, const char* from, const char* from_end, const char*& from_next,
               char* to, char* to_end, char*& to_next) const override {
    return do_out(s, from, from_end, from_next, to, to_end, to_next);
  }
};

TEST_CASE("the locale does not matter") {
  const temporary_folder folder;
  const tensor<std::int32_t, dyn> t(1234567);
  const std::string expected = saved(t);
  const std::locale before =
      std::locale::global(std::locale(std::locale(std::locale(), new odd_numbers), new odd_bytes));
  const std::string bytes = saved(t);
  tg::save_npy(folder.path / "a.npy", t);
  const bool same = tg::load_npy(folder.path / "a.npy") == any_tensor(t);
  std::locale::global(before);
  CHECK(bytes == expected);
  CHECK(expected.find("(1234567,)") != expected.npos);
  CHECK(same);
}

// ---- NumPy -------------------------------------------------------------------------------------

// As in numpy_files.py.
template <class T>
T value_at(std::size_t i) {
  if constexpr (std::is_same_v<T, bool>) return i % 3 == 0;
  else {
    const int value = static_cast<int>(i * 7 % 120) - (std::is_unsigned_v<T> ? 0 : 60);
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value) / 8;
    else return static_cast<T>(value);
  }
}

int run_script(const std::string& command, const std::filesystem::path& folder) {
  return std::system(
      (TFGRAPH_PYTHON " '" TFGRAPH_NUMPY_SCRIPT "' " + command + " '" + folder.string() + "'")
          .c_str());
}

TEST_CASE("NumPy's files, and NumPy with ours") {
  const temporary_folder folder;
  const int status = std::strlen(TFGRAPH_PYTHON) > 0 ? run_script("write", folder.path) : 77 << 8;
  if (status == 77 << 8) {
    MESSAGE("skipped: there is no Python with NumPy");
    return;
  }
  REQUIRE(status == 0);
  std::ifstream list(folder.path / "list");
  int files = 0;
  for (std::string line; std::getline(list, line); ++files) {
    CAPTURE(line);
    std::istringstream fields(line);
    std::string name, type;
    fields >> name >> type;
    tg::extents shape;
    for (tg::index e = 0; fields >> e;) shape.push_back(e);
    const any_tensor a = tg::load_npy(folder.path / (name + ".npy"));
    CHECK(tg::name_of(a.dtype()) == type);
    CHECK(a.shape() == shape);
    const bool right = tg::visit(a, []<class T>(const tg::any_view<const T>& v) {
      for (std::size_t i = 0; i < v.size(); ++i)
        if (v.data()[i] != value_at<T>(i)) return false;
      return true;
    });
    CHECK(right);
    tg::save_npy(folder.path / (name + ".again.npy"), a);
  }
  CHECK(files == 11 * 8 * 2 * 2 * 3);
  CHECK(run_script("check", folder.path) == 0);
}

}  // namespace
