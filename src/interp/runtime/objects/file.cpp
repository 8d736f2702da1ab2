#include "interp/runtime/objects/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/system/file.h"
#include "core/system/forked_run.h"
#include "core/system/interrupt.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/bytes.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/text.h"
#include "interp/runtime/text/unicode.h"

namespace tsc::interp {

namespace {

// fwrite() and fflush() that go on where a signal came, and end in KeyboardInterrupt where it was
// Ctrl-C. False, with errno, where the file cannot be written.
bool write_all(std::FILE* stream, std::string_view text) {
  while (true) {
    text.remove_prefix(std::fwrite(text.data(), 1, text.size(), stream));
    if (text.empty() || errno != EINTR) {
      return text.empty();
    }
    std::clearerr(stream);
    throw_if_interrupted();
  }
}

bool flush_all(std::FILE* stream) {
  while (std::fflush(stream) != 0) {
    if (errno != EINTR) {
      return false;
    }
    std::clearerr(stream);
    throw_if_interrupted();
  }
  return true;
}

// Text goes through with every line end as "\n". The standard output is the interpreter's, so that
// a prompt or a test may put something else in its place.
class FileObject final : public Object {
 public:
  enum class Kind { Disk, Input, Output, Error };

  FileObject(Kind kind, std::FILE* stream, std::string file_name, std::string file_mode)
      : Object(kFileType),
        name(std::move(file_name)),
        mode(std::move(file_mode)),
        kind_(kind),
        stream_(stream) {}
  ~FileObject() override { close(); }

  bool is_binary() const { return mode.find('b') != std::string::npos; }
  bool is_readable() const { return mode.find_first_of("r+") != std::string::npos; }
  bool is_writable() const { return mode.find_first_of("wax+") != std::string::npos; }
  bool is_closed() const { return stream_ == nullptr; }
  Kind kind() const { return kind_; }

  // Closes it in any case; false, with errno, where the last of it could not be written.
  bool close() noexcept {
    std::FILE* stream = std::exchange(stream_, nullptr);
    return stream == nullptr || kind_ != Kind::Disk || std::fclose(stream) == 0;
  }
  std::FILE* stream() const {
    if (stream_ == nullptr) {
      throw_error(ErrorKind::ValueError, "I/O operation on closed file.");
    }
    if (is_forked_run()) {
      refuse_shared();
    }
    return stream_;
  }

  // The next byte, with "\r\n" and "\r" as "\n"; EOF at the end.
  int next_byte() {
    const int byte = get();
    if (byte != '\r' || is_binary()) {
      return byte;
    }
    const int following = get();
    if (following != '\n' && following != EOF) {
      std::ungetc(following, stream());
    }
    return '\n';
  }

  // A line with its end; empty at the end of the file.
  std::string read_line() {
    std::string line;
    for (int byte = next_byte(); byte != EOF; byte = next_byte()) {
      line += static_cast<char>(byte);
      if (byte == '\n') {
        break;
      }
    }
    return line;
  }

  // `count` characters, or all that is left.
  std::string read(int64_t count) {
    std::string text;
    for (int64_t left = count; left != 0; left--) {
      int byte = next_byte();
      if (byte == EOF) {
        break;
      }
      text += static_cast<char>(byte);
      // The rest of the character.
      while (!is_binary() && encoding == Encoding::Utf8 && (byte & 0x80) != 0) {
        byte = get();
        if (byte == EOF) {
          break;
        }
        if ((byte & 0xc0) != 0x80) {
          std::ungetc(byte, stream());
          break;
        }
        text += static_cast<char>(byte);
      }
    }
    return text;
  }

  std::string name;
  std::string mode;
  // Of text.
  Encoding encoding = Encoding::Utf8;
  std::string errors = "strict";

 private:
  int get() {
    const int byte = getc_unlocked(stream());
    if (TSC_UNLIKELY(byte == EOF)) {
      return after_end();
    }
    throw_if_interrupted();
    return byte;
  }
  // EOF at the end; OSError where the file could not be read, the next byte where a signal came.
  int after_end() {
    while (std::ferror(stream()) != 0) {
      const int number = errno;
      std::clearerr(stream());
      if (number != EINTR) {
        throw_os_error(number, {});
      }
      throw_if_interrupted();
      const int byte = std::getc(stream());
      if (byte != EOF) {
        return byte;
      }
    }
    return EOF;
  }

  // In a forked run, what the parent reads or writes, too. A file that is open for writing there
  // was opened before.
  TSC_COLD void refuse_shared() const {
    struct stat status {};
    if (kind_ == Kind::Input) {
      refuse_in_forked_run("reading the standard input");
    } else if (kind_ == Kind::Disk && is_writable()) {
      refuse_in_forked_run(fmt::format("using '{}', which is open for writing,", name));
    } else if (kind_ == Kind::Disk &&
               (fstat(fileno(stream_), &status) != 0 || !S_ISREG(status.st_mode))) {
      refuse_in_forked_run(fmt::format("reading '{}', which is no plain file,", name));
    }
  }

  Kind kind_;
  std::FILE* stream_;
};

FileObject& file_of(const IValue& value) { return *value.as_object<FileObject>(); }
FileObject& self_of(const Arguments& arguments) { return file_of(arguments[0]); }

// C requires a seek between writing and reading.
FileObject& readable(const Arguments& arguments) {
  FileObject& file = self_of(arguments);
  file.stream();
  if (!file.is_readable()) {
    throw_error(ErrorKind::OSError, "not readable");
  }
  if (file.is_writable() && file.kind() == FileObject::Kind::Disk) {
    std::fseek(file.stream(), 0, SEEK_CUR);
  }
  return file;
}

IValue text_value(const FileObject& file, std::string text) {
  if (file.is_binary()) {
    return make_bytes(std::move(text));
  }
  return make_string(decode_text(text, file.encoding, file.errors));
}

IValue file_read(Interpreter&, Arguments& arguments) {
  FileObject& file = readable(arguments);
  return text_value(file, file.read(has_value(arguments, 1) ? to_index(arguments[1]) : -1));
}

IValue file_readline(Interpreter&, Arguments& arguments) {
  FileObject& file = readable(arguments);
  return text_value(file, file.read_line());
}

IValue file_readlines(Interpreter&, Arguments& arguments) {
  FileObject& file = readable(arguments);
  IValue lines = make_list({});
  for (std::string line = file.read_line(); !line.empty(); line = file.read_line()) {
    lines.as_list()->items.push_back(text_value(file, std::move(line)));
  }
  return lines;
}

void write_text(Interpreter& interpreter, FileObject& file, const IValue& value) {
  file.stream();
  if (!file.is_writable()) {
    throw_error(ErrorKind::OSError, "not writable");
  }
  std::string_view text;
  std::string encoded;
  if (file.is_binary()) {
    if (!is_object_of(value, kBytesType)) {
      throw_error(ErrorKind::TypeError, "a bytes-like object is required, not '{}'",
                  type_name(value));
    }
    text = value.as_object<BytesObject>()->data;
  } else {
    if (!value.is_string()) {
      throw_error(ErrorKind::TypeError, "write() argument must be str, not {}", type_name(value));
    }
    text = value.as_string();
    if (file.encoding != Encoding::Utf8) {
      encoded = encode_text(text, file.encoding, file.errors);
      text = encoded;
    }
  }
  if (file.kind() == FileObject::Kind::Output) {
    write_in_pieces(interpreter, text);
    return;
  }
  if (file.kind() == FileObject::Kind::Error) {
    interpreter.flush();
  }
  if (!write_all(file.stream(), text)) {
    throw_os_error(errno, {});
  }
}

void close_file(FileObject& file) {
  if (!file.close()) {
    throw_os_error(errno, {});
  }
}

IValue file_write(Interpreter& interpreter, Arguments& arguments) {
  write_text(interpreter, self_of(arguments), arguments[1]);
  return length_of(arguments[1]);
}

IValue file_writelines(Interpreter& interpreter, Arguments& arguments) {
  for_each_item(arguments[1], [&](const IValue& line) {
    write_text(interpreter, self_of(arguments), line);
    return true;
  });
  return {};
}

IValue file_flush(Interpreter& interpreter, Arguments& arguments) {
  FileObject& file = self_of(arguments);
  if (file.kind() == FileObject::Kind::Output) {
    interpreter.flush();
  } else if (!flush_all(file.stream())) {
    throw_os_error(errno, {});
  }
  return {};
}

IValue file_close(Interpreter&, Arguments& arguments) {
  close_file(self_of(arguments));
  return {};
}

IValue file_seek(Interpreter&, Arguments& arguments) {
  std::FILE* stream = self_of(arguments).stream();
  const int whence = given(arguments, 2) ? static_cast<int>(to_index(arguments[2])) : SEEK_SET;
  if (std::fseek(stream, static_cast<long>(to_index(arguments[1])), whence) != 0) {
    throw_os_error(errno, self_of(arguments).name);
  }
  return static_cast<int64_t>(std::ftell(stream));
}

IValue file_tell(Interpreter&, Arguments& arguments) {
  return static_cast<int64_t>(std::ftell(self_of(arguments).stream()));
}

IValue file_isatty(Interpreter&, Arguments& arguments) {
  return isatty(fileno(self_of(arguments).stream())) != 0;
}
IValue file_fileno(Interpreter&, Arguments& arguments) {
  return fileno(self_of(arguments).stream());
}
IValue file_readable(Interpreter&, Arguments& arguments) {
  return self_of(arguments).is_readable();
}
IValue file_writable(Interpreter&, Arguments& arguments) {
  return self_of(arguments).is_writable();
}

IValue file_enter(Interpreter&, Arguments& arguments) {
  self_of(arguments).stream();
  return arguments[0];
}

IValue file_exit(Interpreter&, Arguments& arguments) {
  close_file(self_of(arguments));
  return {};
}

std::string_view encoding_name(Encoding encoding) {
  return encoding == Encoding::Utf8 ? "UTF-8" : encoding == Encoding::Ascii ? "ascii" : "latin-1";
}

void repr_file(const IValue& self, std::string& out) {
  out += file_of(self).is_binary() ? "<_io.BufferedReader name=" : "<_io.TextIOWrapper name=";
  append_string_repr(file_of(self).name, out);
  if (!file_of(self).is_binary()) {
    out.append(fmt::format(" mode='{}' encoding='{}'", file_of(self).mode,
                           encoding_name(file_of(self).encoding)));
  }
  out += '>';
}

bool next_line(const IValue& self, IValue& result) {
  std::string line = file_of(self).read_line();
  if (line.empty()) {
    return false;
  }
  result = text_value(file_of(self), std::move(line));
  return true;
}

IValue file_closed(const IValue& self) { return file_of(self).is_closed(); }
IValue file_encoding(const IValue& self) { return encoding_name(file_of(self).encoding); }
IValue file_mode(const IValue& self) { return file_of(self).mode; }
IValue file_name(const IValue& self) { return file_of(self).name; }

constexpr std::string_view kOwner = "TextIOWrapper";
constexpr BuiltinDef kMethods[] = {
    {"__enter__", file_enter, 0, 0, {}, kOwner},
    {"__exit__", file_exit, 3, 3, {}, kOwner},
    {"close", file_close, 0, 0, {}, kOwner},
    {"fileno", file_fileno, 0, 0, {}, kOwner},
    {"flush", file_flush, 0, 0, {}, kOwner},
    {"isatty", file_isatty, 0, 0, {}, kOwner},
    {"read", file_read, 0, 1, {}, kOwner},
    {"readable", file_readable, 0, 0, {}, kOwner},
    {"readline", file_readline, 0, 0, {}, kOwner},
    {"readlines", file_readlines, 0, 0, {}, kOwner},
    {"seek", file_seek, 1, 2, {}, kOwner},
    {"tell", file_tell, 0, 0, {}, kOwner},
    {"writable", file_writable, 0, 0, {}, kOwner},
    {"write", file_write, 1, 1, {}, kOwner},
    {"writelines", file_writelines, 1, 1, {}, kOwner},
};
constexpr AttributeDef kAttributes[] = {
    {"closed", file_closed},
    {"encoding", file_encoding},
    {"mode", file_mode},
    {"name", file_name},
};

void check_mode(std::string_view mode) {
  const auto count = [&](std::string_view letters) {
    return std::count_if(mode.begin(), mode.end(),
                         [&](char c) { return letters.find(c) != std::string_view::npos; });
  };
  if (count("rwaxbt+") != static_cast<std::ptrdiff_t>(mode.size()) || count("b") > 1 ||
      count("t") > 1 || count("+") > 1) {
    throw_error(ErrorKind::ValueError, "invalid mode: '{}'", mode);
  }
  if (count("rwax") != 1) {
    throw_error(ErrorKind::ValueError, "must have exactly one of create/read/write/append mode");
  }
}

IValue standard_file(FileObject::Kind kind, std::FILE* stream, const char* name, const char* mode) {
  return IValue::adopt(Tag::Object, new FileObject(kind, stream, name, mode));
}

}  // namespace

namespace {

int output_error = 0;

void check_output(bool is_written) {
  if (!is_written) {
    output_error = errno;
    throw_os_error(output_error, {});
  }
}

}  // namespace

void write_standard_output(std::string_view text) { check_output(write_all(stdout, text)); }

void flush_standard_output() { check_output(flush_all(stdout)); }

int standard_output_error() { return output_error; }

IValue builtin_open(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_string(), "expected str, bytes or os.PathLike object, not {}",
                 type_name(arguments[0]));
  const std::string name(arguments[0].as_string());
  const std::string mode(given(arguments, 1) ? to_text(arguments[1], "open", 2) : "r");
  check_mode(mode);
  const bool is_binary = mode.find('b') != std::string::npos;
  TSC_CHECK_VALUE(!is_binary || !has_value(arguments, 3),
                  "binary mode doesn't take an encoding argument");
  TSC_CHECK_VALUE(!is_binary || !has_value(arguments, 4),
                  "binary mode doesn't take an errors argument");
  const Encoding encoding =
      has_value(arguments, 3) ? find_encoding(to_text(arguments[3], "open", 4)) : Encoding::Utf8;
  // Lines are found by their bytes.
  TSC_CHECK_VALUE(
      extends_ascii(encoding),
      "open() reads and writes utf-8, ascii and latin-1; open other text with mode 'b', "
      "and decode it");
  const std::string errors(has_value(arguments, 4) ? to_text(arguments[4], "open", 5) : "strict");
  // C's letters: those of Python without "t", and "x" behind the "w" that it means.
  std::string c_mode = mode;
  std::erase(c_mode, 't');
  if (const size_t x = c_mode.find('x'); x != std::string::npos) {
    c_mode[x] = 'w';
    c_mode += 'x';
  }
  errno = 0;
  std::FILE* stream = try_open_file(name, c_mode.c_str());
  if (stream == nullptr) {
    throw_if_interrupted();  // while it waited for the other end of a pipe
    throw_os_error(errno, name);
  }
  auto* object = new FileObject(FileObject::Kind::Disk, stream, name, mode);
  IValue file = IValue::adopt(Tag::Object, object);
  object->encoding = encoding;
  object->errors = errors;
  // A directory opens for reading, and only then refuses.
  if (mode[0] == 'r') {
    const int byte = std::getc(stream);
    throw_if_interrupted();
    if (byte == EOF && errno == EISDIR) {
      throw_os_error(EISDIR, name);
    }
    if (byte != EOF) {
      std::ungetc(byte, stream);
    }
  }
  return file;
}

IValue standard_input_file() {
  static const auto* file =
      new IValue(standard_file(FileObject::Kind::Input, stdin, "<stdin>", "r"));
  return *file;
}

IValue standard_output_file() {
  static const auto* file =
      new IValue(standard_file(FileObject::Kind::Output, stdout, "<stdout>", "w"));
  return *file;
}

IValue standard_error_file() {
  static const auto* file =
      new IValue(standard_file(FileObject::Kind::Error, stderr, "<stderr>", "w"));
  return *file;
}

constinit const Type kFileType = {
    .name = "TextIOWrapper",
    .module = "_io",
    .methods = kMethods,
    .attributes = kAttributes,
    .repr = repr_file,
    .iterate = iterator_itself,
    .next = next_line,
};

}  // namespace tsc::interp
