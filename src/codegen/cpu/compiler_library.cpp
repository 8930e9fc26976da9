#include "codegen/cpu/compiler_library.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "base/text.h"

namespace dyad::codegen::compiler_library {

namespace {

/// The folder of the library that this function is in.
std::string path() {
  Dl_info own;
  if (!dladdr(reinterpret_cast<void*>(&path), &own) || !own.dli_fname) return "";
  const std::string file = own.dli_fname;
  const size_t slash = file.rfind('/');
  return (slash == std::string::npos ? "" : file.substr(0, slash + 1)) + "libdyad_llvm.so";
}

std::string read_at(std::ifstream& file, size_t offset, size_t bytes) {
  std::string out(bytes, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(out.data(), static_cast<std::streamsize>(bytes));
  return file ? out : "";
}

/// The linker's build id in a run of notes; empty if there is none.
std::string build_id(std::string_view notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof(note));
    const size_t name = (note.n_namesz + 3u) & ~size_t{3};
    const size_t content = (note.n_descsz + 3u) & ~size_t{3};
    if (sizeof(note) + name + content > notes.size()) return "";
    if (note.n_type == NT_GNU_BUILD_ID) return std::string(notes.substr(sizeof(note) + name, note.n_descsz));
    notes.remove_prefix(sizeof(note) + name + content);
  }
  return "";
}

std::string read_identity() {
  std::ifstream file(path(), std::ios::binary);
  if (!file) return "";
  const std::string start = read_at(file, 0, sizeof(Elf64_Ehdr));
  if (start.empty()) return "";
  Elf64_Ehdr header;
  std::memcpy(&header, start.data(), sizeof(header));
  const std::string table = read_at(file, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  for (size_t i = 0; i + 1 <= table.size() / sizeof(Elf64_Phdr); ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, table.data() + i * sizeof(segment), sizeof(segment));
    if (segment.p_type != PT_NOTE) continue;
    const std::string id = build_id(read_at(file, segment.p_offset, segment.p_filesz));
    if (!id.empty()) return id;
  }
  return "";
}

struct Loaded {
  const CompilerLibrary* library = nullptr;
  std::string reason;
};

Loaded open() {
#ifndef __x86_64__
  return {nullptr, "loops are compiled for x86-64 only"};
#endif
  void* handle = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return {nullptr, cat("the code generator cannot be loaded: ", dlerror())};
  auto entry = reinterpret_cast<const CompilerLibrary* (*)()>(dlsym(handle, kCompilerEntry));
  if (!entry) return {nullptr, "libdyad_llvm.so beside libdyad.so is not of this version"};
  return {entry(), ""};
}

const Loaded& loaded() {
  static const Loaded opened = open();
  return opened;
}

}  // namespace

const CompilerLibrary* load() { return loaded().library; }
const std::string& reason() { return loaded().reason; }
const std::string& identity() {
  static const std::string id = read_identity();
  return id;
}

}  // namespace dyad::codegen::compiler_library
