#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace dyad::codegen {

/// Compiled loops on disk, one file for each, so that a later process need not compile them again.
///
/// Several processes may use one folder. A file appears under its name only when it is whole; what a power
/// cut or another program leaves there fails its checksum, counts as missing and is written anew. A folder
/// that cannot be written is no error. When the files grow beyond the limit, those that were not used for
/// longest go.
class Store {
 public:
  Store(std::string folder, int64_t limit_bytes) : folder_(std::move(folder)), limit_(limit_bytes) {}

  /// What was added under this key; nothing if it is not there or not sound.
  std::optional<std::string> find(std::string_view key) const;
  void add(std::string_view key, std::string_view object);

  /// Where the entry of a key lies.
  std::string path_of(std::string_view key) const;
  const std::string& folder() const { return folder_; }

 private:
  void drop_oldest();

  std::string folder_;
  int64_t limit_;
  std::mutex guard_;
  int64_t added_bytes_ = -1;  ///< since the folder was last looked through; -1: never
};

/// The store of this process: in DYAD_CACHE_DIR, else in `dyad` in the user's cache folder. Null if
/// DYAD_CACHE is 0 or the user has no such folder.
Store* process_store();

}  // namespace dyad::codegen
