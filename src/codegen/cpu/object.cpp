#include "codegen/cpu/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <vector>

namespace dyad::codegen {

namespace {

/// A way out of the code: `jmp *address`, then the address. Functions of the process may lie too far away for
/// a plain call.
constexpr unsigned char kJump[6] = {0xff, 0x25, 0, 0, 0, 0};
constexpr size_t kExitBytes = 16;

class ObjectLoader {
 public:
  explicit ObjectLoader(std::string_view object) : object_(object) {
    std::memcpy(&header_, object.data(), sizeof(header_));
    sections_ = reinterpret_cast<const Elf64_Shdr*>(object.data() + header_.e_shoff);
  }

  std::unique_ptr<LoadedCode> load(std::string_view entry) {
    lay_out();
    if (!symbols_) return nullptr;
    memory_ =
        static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ == MAP_FAILED) return nullptr;
    auto code = std::make_unique<LoadedCode>(memory_, bytes_, nullptr);  // unmaps if anything fails
    for (size_t i = 0; i < header_.e_shnum; ++i) copy_section(i);
    for (size_t i = 0; i < header_.e_shnum; ++i) {
      if (sections_[i].sh_type == SHT_RELA && !relocate(sections_[i])) return nullptr;
    }
    if (mprotect(memory_, bytes_, PROT_READ | PROT_EXEC) != 0) return nullptr;
    for (size_t i = 0; i < symbol_count_; ++i) {
      if (symbols_[i].st_shndx == SHN_UNDEF || name_of(symbols_[i]) != entry) continue;
      auto found =
          reinterpret_cast<LoopFunction>(memory_ + places_[symbols_[i].st_shndx] + symbols_[i].st_value);
      auto loaded = std::make_unique<LoadedCode>(memory_, bytes_, found);
      code.release();  // NOLINT: the same memory, now owned with its entry
      return loaded;
    }
    return nullptr;
  }

 private:
  bool occupies(const Elf64_Shdr& section) const { return section.sh_flags & SHF_ALLOC; }

  void lay_out() {
    places_.assign(header_.e_shnum, 0);
    for (size_t i = 0; i < header_.e_shnum; ++i) {
      const Elf64_Shdr& section = sections_[i];
      if (section.sh_type == SHT_SYMTAB) {
        symbols_ = reinterpret_cast<const Elf64_Sym*>(object_.data() + section.sh_offset);
        symbol_count_ = section.sh_size / sizeof(Elf64_Sym);
        names_ = object_.data() + sections_[section.sh_link].sh_offset;
      }
      if (!occupies(section)) continue;
      const size_t align = section.sh_addralign ? section.sh_addralign : 1;
      bytes_ = (bytes_ + align - 1) / align * align;
      places_[i] = bytes_;
      bytes_ += section.sh_size;
    }
    exits_ = (bytes_ + kExitBytes - 1) / kExitBytes * kExitBytes;
    bytes_ = exits_ + symbol_count_ * kExitBytes;
  }

  void copy_section(size_t i) {
    const Elf64_Shdr& section = sections_[i];
    if (!occupies(section) || section.sh_type == SHT_NOBITS) return;
    std::memcpy(memory_ + places_[i], object_.data() + section.sh_offset, section.sh_size);
  }

  std::string_view name_of(const Elf64_Sym& symbol) const { return names_ + symbol.st_name; }

  /// Where a symbol lies; for one of the process, its way out.
  char* address_of(size_t number) {
    const Elf64_Sym& symbol = symbols_[number];
    if (symbol.st_shndx != SHN_UNDEF) return memory_ + places_[symbol.st_shndx] + symbol.st_value;
    char* exit = memory_ + exits_ + number * kExitBytes;
    void* target = dlsym(RTLD_DEFAULT, names_ + symbol.st_name);
    if (!target) return nullptr;
    std::memcpy(exit, kJump, sizeof(kJump));
    std::memcpy(exit + sizeof(kJump), &target, sizeof(target));
    return exit;
  }

  bool relocate(const Elf64_Shdr& section) {
    const Elf64_Shdr& target = sections_[section.sh_info];
    if (!occupies(target)) return true;
    auto* entries = reinterpret_cast<const Elf64_Rela*>(object_.data() + section.sh_offset);
    for (size_t i = 0; i < section.sh_size / sizeof(Elf64_Rela); ++i) {
      const Elf64_Rela& entry = entries[i];
      const size_t number = ELF64_R_SYM(entry.r_info);
      char* symbol = address_of(number);
      if (!symbol) return false;
      char* place = memory_ + places_[section.sh_info] + entry.r_offset;
      if (!write(ELF64_R_TYPE(entry.r_info), symbol, symbols_[number].st_shndx == SHN_UNDEF, entry.r_addend,
                 place))
        return false;
    }
    return true;
  }

  static bool write(uint32_t kind, char* symbol, bool outside, int64_t addend, char* place) {
    if (kind == R_X86_64_64) {
      if (outside) std::memcpy(&symbol, symbol + sizeof(kJump), sizeof(symbol));
      const int64_t value = reinterpret_cast<int64_t>(symbol) + addend;
      std::memcpy(place, &value, sizeof(value));
      return true;
    }
    const bool through_table =
        kind == R_X86_64_GOTPCREL || kind == R_X86_64_GOTPCRELX || kind == R_X86_64_REX_GOTPCRELX;
    if (through_table && !outside) return false;
    if (!through_table && kind != R_X86_64_PC32 && kind != R_X86_64_PLT32) return false;
    if (through_table) symbol += sizeof(kJump);  // the address within the way out
    const int64_t value = symbol - place + addend;
    if (value != static_cast<int32_t>(value)) return false;
    const auto narrow = static_cast<int32_t>(value);
    std::memcpy(place, &narrow, sizeof(narrow));
    return true;
  }

  std::string_view object_;
  Elf64_Ehdr header_;
  const Elf64_Shdr* sections_ = nullptr;
  const Elf64_Sym* symbols_ = nullptr;
  size_t symbol_count_ = 0;
  const char* names_ = nullptr;
  std::vector<size_t> places_;  ///< per section, from the start of the memory
  size_t exits_ = 0;
  size_t bytes_ = 0;
  char* memory_ = nullptr;
};

}  // namespace

LoadedCode::~LoadedCode() { munmap(memory_, bytes_); }

std::unique_ptr<LoadedCode> load_object(std::string_view object, std::string_view entry) {
  if (object.size() < sizeof(Elf64_Ehdr) || std::memcmp(object.data(), ELFMAG, SELFMAG) != 0) return nullptr;
  return ObjectLoader(object).load(entry);
}

}  // namespace dyad::codegen
