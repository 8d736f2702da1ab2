// NVRTC's functions over the host's compiler: a program becomes a shared library, and its bytes stand
// for the cubin.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cuda/emulator/prelude_text.h"
#include "cuda/emulator/state.h"

extern char** environ;

namespace tsc::cuda {

struct ProgramObject {
  std::string source;
  std::string name;
  std::string log;
  std::string image;
};

namespace emulator {
namespace {

std::string temporary_folder() {
  const char* const given = std::getenv("TMPDIR");
  std::string path = std::string(given == nullptr ? "/tmp" : given) + "/tensorscope-XXXXXX";
  return mkdtemp(path.data()) == nullptr ? "" : path;
}

// The names behind `extern "C" __global__ void`.
std::vector<std::string> kernels_of(const std::string& source) {
  std::vector<std::string> names;
  const std::string begin = "extern \"C\" __global__ void ";
  for (size_t at = source.find(begin); at != std::string::npos; at = source.find(begin, at)) {
    at += begin.size();
    // __launch_bounds__(...) may stand before the name.
    if (source.compare(at, 2, "__") == 0) at = source.find(')', at) + 2;
    const size_t end = source.find('(', at);
    names.push_back(source.substr(at, end - at));
  }
  return names;
}

bool needs_fibers(const std::string& source) {
  for (const char* const word : {"__syncthreads", "__syncwarp", "_sync("}) {
    if (source.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string entries_of(const std::string& source) {
  std::string text = "\nextern \"C\" {\n";
  const auto exported = "__attribute__((visibility(\"default\"))) ";
  text += std::string(exported) + "int tsc_needs_fibers = " + (needs_fibers(source) ? "1" : "0") +
          ";\n";
  for (const std::string& name : kernels_of(source)) {
    const std::string call = "emulated::call(&" + name + ", arguments);\n";
    text +=
        std::string(exported) + "void tsc_thread_" + name + "(void** arguments) {\n" + call + "}\n";
    text += std::string(exported) + "void tsc_block_" + name +
            "(void** arguments) {\n"
            "  uint3& at = threadIdx;\n  const dim3 size = blockDim;\n"
            "  for (at.z = 0; at.z < size.z; at.z++)\n"
            "    for (at.y = 0; at.y < size.y; at.y++)\n"
            "      for (at.x = 0; at.x < size.x; at.x++) " +
            call + "}\n";
  }
  return text + "}\n";
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The compiler's exit status; what it says goes to the file `log`.
int run_compiler(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Messages name the file of the line directive that the source begins with.
CompileResult compile(ProgramObject& program) {
  if (fails("compile")) {
    program.log = "the emulator was told to fail here\n";
    return kCompilationFailed;
  }
  const std::string folder = temporary_folder();
  if (folder.empty()) {
    program.log = "no temporary folder can be made\n";
    return kCompilationFailed;
  }
  const std::string source = folder + "/kernel.cpp";
  const std::string library = folder + "/kernel.so";
  const std::string log = folder + "/log";
  std::ofstream(source, std::ios::binary)
      << "#line 1 \"emulator/prelude.cuh\"\n"
      << text::emulator_prelude << "\n#line 1 \"" << program.name << "\"\n"
      << program.source << entries_of(program.source);
  const char* const given = std::getenv("CXX");
  const int status =
      run_compiler({given == nullptr ? "g++" : given, "-std=c++20", "-O1", "-shared", "-fPIC", "-w",
                    "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-fno-math-errno",
                    "-ffp-contract=off", "-fno-strict-aliasing", "-mfma",
                    "-fdiagnostics-color=never", "-o", library, source},
                   log);
  program.log = status == 127 ? "there is no C++ compiler: install g++\n" : read_file(log);
  program.image = status == 0 ? read_file(library) : "";
  unlink(source.c_str());
  unlink(library.c_str());
  unlink(log.c_str());
  rmdir(folder.c_str());
  return status == 0 ? kSuccess : kCompilationFailed;
}

CompileResult copy_out(const std::string& text, char* to, size_t extra) {
  std::memcpy(to, text.c_str(), text.size() + extra);
  return kSuccess;
}

}  // namespace
}  // namespace emulator

// The names are the driver's and NVRTC's.
// NOLINTBEGIN(readability-identifier-naming)
#define TSC_EXPORT extern "C" __attribute__((visibility("default")))

TSC_EXPORT CompileResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return kSuccess;
}
TSC_EXPORT CompileResult nvrtcCreateProgram(ProgramHandle* program, const char* source,
                                            const char* name, int, const char* const*,
                                            const char* const*) {
  *program = new ProgramObject{source, name == nullptr ? "kernel" : name, "", ""};
  return kSuccess;
}
TSC_EXPORT CompileResult nvrtcDestroyProgram(ProgramHandle* program) {
  delete *program;
  *program = nullptr;
  return kSuccess;
}
TSC_EXPORT CompileResult nvrtcCompileProgram(ProgramHandle program, int, const char* const*) {
  return emulator::compile(*program);
}
TSC_EXPORT CompileResult nvrtcGetProgramLogSize(ProgramHandle program, size_t* bytes) {
  *bytes = program->log.size() + 1;
  return kSuccess;
}
TSC_EXPORT CompileResult nvrtcGetProgramLog(ProgramHandle program, char* text) {
  return emulator::copy_out(program->log, text, 1);
}
TSC_EXPORT CompileResult nvrtcGetCUBINSize(ProgramHandle program, size_t* bytes) {
  *bytes = program->image.size();
  return kSuccess;
}
TSC_EXPORT CompileResult nvrtcGetCUBIN(ProgramHandle program, char* image) {
  return emulator::copy_out(program->image, image, 0);
}
TSC_EXPORT CompileResult nvrtcGetPTXSize(ProgramHandle program, size_t* bytes) {
  return nvrtcGetCUBINSize(program, bytes);
}
TSC_EXPORT CompileResult nvrtcGetPTX(ProgramHandle program, char* text) {
  return nvrtcGetCUBIN(program, text);
}
TSC_EXPORT CompileResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return kSuccess;
}
TSC_EXPORT CompileResult nvrtcGetSupportedArchs(int* numbers) {
  *numbers = 90;
  return kSuccess;
}

// NOLINTEND(readability-identifier-naming)

}  // namespace tsc::cuda
