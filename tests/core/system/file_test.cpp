#include "core/system/file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/error.h"

namespace {

using namespace tsc;

struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / fmt::format("file_test_{}", getpid())) {
    std::filesystem::create_directory(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return path / name; }
  std::filesystem::path path;
};

std::pair<ErrorKind, std::string> refusal(auto&& f) {
  try {
    f();
  } catch (const Error& error) {
    return {error.kind(), error.message()};
  }
  return {ErrorKind::BaseException, ""};
}

}  // namespace

TEST_CASE("a file is read as it was written, zeros and all") {
  const Folder folder;
  const std::string path = folder / "a";
  const std::string bytes("one\0two\n\xff", 9);
  {
    const File file = open_file(path, "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file.get());
  }
  CHECK(read_file(path) == bytes);
  const File file = open_file(path, "rb");
  CHECK(bytes_left(file.get()) == 9);
  std::fgetc(file.get());
  CHECK(bytes_left(file.get()) == 8);
  CHECK(read_all(file.get(), path) == bytes.substr(1));
  CHECK(bytes_left(file.get()) == 0);
}

TEST_CASE("a pipe has no end to ask for") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const File reader(fdopen(ends[0], "rb"));
  CHECK(bytes_left(reader.get()) == -1);
  close(ends[1]);
  CHECK(read_all(reader.get(), "a pipe").empty());
}

TEST_CASE("what fails is Python's error") {
  const Folder folder;
  const std::string missing = folder / "missing";
  CHECK(refusal([&] { read_file(missing); }) ==
        std::pair(ErrorKind::FileNotFoundError,
                  fmt::format("[Errno 2] No such file or directory: '{}'", missing)));
  const std::string itself = folder.path;
  CHECK(refusal([&] { read_file(itself); }) ==
        std::pair(ErrorKind::IsADirectoryError,
                  fmt::format("[Errno 21] Is a directory: '{}'", itself)));
  CHECK(refusal([&] { throw_os_error(EACCES, "x"); }) ==
        std::pair(ErrorKind::PermissionError, std::string("[Errno 13] Permission denied: 'x'")));
  CHECK(refusal([&] { throw_os_error(EEXIST, ""); }) ==
        std::pair(ErrorKind::FileExistsError, std::string("[Errno 17] File exists")));
  CHECK(refusal([&] { throw_os_error(EIO, "x"); }).first == ErrorKind::OSError);
}
