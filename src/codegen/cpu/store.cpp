#include "codegen/cpu/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/text.h"

namespace dyad::codegen {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kDefaultLimit = int64_t{256} << 20;
constexpr time_t kDay = 24 * 60 * 60;
constexpr time_t kHour = 60 * 60;
constexpr char kEnding[] = ".loop";

struct Header {
  char magic[8] = {'d', 'y', 'a', 'd', 'l', 'o', 'o', 'p'};
  uint64_t version = 1;
  uint64_t key_bytes = 0;
  uint64_t object_bytes = 0;
  uint64_t checksum = 0;
};

uint64_t hash(std::string_view bytes, uint64_t value) {
  for (const char byte : bytes) {
    value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    value ^= value >> 29;
  }
  return value;
}
uint64_t checksum_of(std::string_view key, std::string_view object) {
  return hash(object, hash(key, 0xcbf29ce484222325u));
}

/// A file that is closed when it leaves scope.
class File {
 public:
  File(const std::string& path, int flags) : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  bool read_all(char* to, size_t bytes) const {
    while (bytes > 0) {
      const ssize_t got = read(descriptor_, to, bytes);
      if (got <= 0) return false;
      to += got;
      bytes -= static_cast<size_t>(got);
    }
    return true;
  }
  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = write(descriptor_, bytes.data(), bytes.size());
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return true;
  }

 private:
  int descriptor_;
};

}  // namespace

std::string Store::path_of(std::string_view key) const {
  char name[40];
  std::snprintf(name, sizeof(name), "%016llx%016llx",
                static_cast<unsigned long long>(hash(key, 0x6c62272e07bb0142u)),
                static_cast<unsigned long long>(hash(key, 0x62b821756295c58du)));
  return cat(folder_, "/", name, kEnding);
}

std::optional<std::string> Store::find(std::string_view key) const {
  const std::string path = path_of(key);
  const File file(path, O_RDONLY);
  struct stat about;
  if (!file || fstat(file.descriptor(), &about) != 0) return std::nullopt;
  // What is read here is run: it must come from this user, or from the administrator.
  if (about.st_uid != geteuid() && about.st_uid != 0) return std::nullopt;
  Header header;
  const Header expected;
  if (!file.read_all(reinterpret_cast<char*>(&header), sizeof(header))) return std::nullopt;
  const auto size = static_cast<uint64_t>(about.st_size);
  if (std::memcmp(header.magic, expected.magic, sizeof(header.magic)) != 0 ||
      header.version != expected.version || header.key_bytes != key.size() ||
      size < sizeof(header) + key.size() || header.object_bytes != size - sizeof(header) - key.size()) {
    return std::nullopt;
  }
  std::string found(key.size() + header.object_bytes, '\0');
  if (!file.read_all(found.data(), found.size())) return std::nullopt;
  const std::string_view own_key(found.data(), key.size());
  const std::string_view object(found.data() + key.size(), header.object_bytes);
  if (own_key != key || checksum_of(own_key, object) != header.checksum) return std::nullopt;
  // The time of the last use decides who goes when the folder is full; to the day is enough.
  if (time(nullptr) - about.st_mtime > kDay) futimens(file.descriptor(), nullptr);
  return std::string(object);
}

void Store::add(std::string_view key, std::string_view object) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  Header header;
  header.key_bytes = key.size();
  header.object_bytes = object.size();
  header.checksum = checksum_of(key, object);
  static std::atomic<uint64_t> counter{0};
  const std::string path = path_of(key);
  const std::string unfinished = cat(path, ".", static_cast<int64_t>(getpid()), ".", counter++);
  {
    const File file(unfinished, O_WRONLY | O_CREAT | O_EXCL);
    if (!file) return;
    // Not flushed to the disk: a power cut may leave a file without its contents, which the checksum tells.
    const std::string_view start(reinterpret_cast<const char*>(&header), sizeof(header));
    if (!file.write_all(start) || !file.write_all(key) || !file.write_all(object)) {
      unlink(unfinished.c_str());
      return;
    }
  }
  if (rename(unfinished.c_str(), path.c_str()) != 0) unlink(unfinished.c_str());

  std::lock_guard lock(guard_);
  const bool first = added_bytes_ < 0;
  if (first) added_bytes_ = 0;
  added_bytes_ += static_cast<int64_t>(sizeof(header) + key.size() + object.size());
  if (!first && added_bytes_ < limit_ / 16) return;
  added_bytes_ = 0;
  drop_oldest();
}

void Store::drop_oldest() {
  struct Entry {
    std::string path;
    int64_t bytes;
    time_t used;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  std::error_code failed;
  const time_t now = time(nullptr);
  for (fs::directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
    struct stat about;
    const std::string path = at->path();
    if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    if (!path.ends_with(kEnding)) {
      // Left by a process that ended while it wrote.
      if (path.find(kEnding) != std::string::npos && now - about.st_mtime > kHour) unlink(path.c_str());
      continue;
    }
    entries.push_back({path, about.st_size, about.st_mtime});
    total += about.st_size;
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit_ / 4 * 3) return;
    if (unlink(entry.path.c_str()) == 0) total -= entry.bytes;
  }
}

Store* process_store() {
  static Store* const only = []() -> Store* {
    const char* wanted = std::getenv("DYAD_CACHE");
    if (wanted && std::string_view(wanted) == "0") return nullptr;
    std::string folder;
    if (const char* own = std::getenv("DYAD_CACHE_DIR"); own && *own) {
      folder = own;
    } else if (const char* shared = std::getenv("XDG_CACHE_HOME"); shared && *shared == '/') {
      folder = cat(shared, "/dyad");
    } else if (const char* home = std::getenv("HOME"); home && *home == '/') {
      folder = cat(home, "/.cache/dyad");
    } else {
      return nullptr;
    }
    return new Store(cat(folder, "/loops"), kDefaultLimit);  // threads may use it until the process ends
  }();
  return only;
}

}  // namespace dyad::codegen
