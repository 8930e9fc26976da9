#include "codegen/cpu/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace dyad::codegen {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    folder_ = (fs::temp_directory_path() / "dyad_store_XXXXXX").string();
    if (!mkdtemp(folder_.data())) throw fs::filesystem_error("no folder for the store", folder_, {});
  }
  ~StoreTest() override { fs::remove_all(folder_); }
  std::string inside(const char* name) const { return folder_ + "/" + name; }

  std::string folder_;
};

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(StoreTest, FindsWhatAnotherAdded) {
  Store(inside("loops"), 1 << 20).add("key", "object");
  const Store other(inside("loops"), 1 << 20);
  EXPECT_EQ(other.find("key"), "object");
  EXPECT_EQ(other.find("another key"), std::nullopt);
}

TEST_F(StoreTest, DoesNotTrustDamagedFiles) {
  Store store(inside("loops"), 1 << 20);
  store.add("key", "object");
  const std::string path = store.path_of("key");
  const std::string sound = contents(path);
  for (size_t length = 0; length < sound.size(); ++length) {
    overwrite(path, sound.substr(0, length));
    EXPECT_EQ(store.find("key"), std::nullopt) << length << " bytes are left";
  }
  for (size_t at = 0; at < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 16);
    overwrite(path, damaged);
    EXPECT_EQ(store.find("key"), std::nullopt) << "byte " << at << " has changed";
  }
  overwrite(path, std::string(sound.size(), '\0'));
  EXPECT_EQ(store.find("key"), std::nullopt);
  store.add("key", "object");
  EXPECT_EQ(store.find("key"), "object");
}

TEST_F(StoreTest, DoesNotTakeTheFileOfAnotherKey) {
  Store store(inside("loops"), 1 << 20);
  store.add("key", "object");
  fs::copy_file(store.path_of("key"), store.path_of("yek"));
  EXPECT_EQ(store.find("yek"), std::nullopt);
}

TEST_F(StoreTest, AFolderThatCannotBeWrittenIsNoError) {
  overwrite(inside("file"), "");
  Store store(inside("file"), 1 << 20);  // a file where the folder should be
  store.add("key", "object");
  EXPECT_EQ(store.find("key"), std::nullopt);
}

TEST_F(StoreTest, KeepsToItsLimit) {
  const std::string object(1000, 'x');
  Store store(inside("loops"), 20000);
  for (int i = 0; i < 100; ++i) store.add("key " + std::to_string(i), object);
  uintmax_t total = 0;
  for (const auto& entry : fs::directory_iterator(store.folder())) total += entry.file_size();
  EXPECT_LE(total, 20000u + 20000u / 16 + 1100u);
  EXPECT_EQ(store.find("key 99"), object);
}

TEST_F(StoreTest, DropsWhatWasNotUsedForLongest) {
  const std::string object(1000, 'x');
  Store store(inside("loops"), 20000);
  for (int i = 0; i < 10; ++i) store.add("key " + std::to_string(i), object);
  const std::string old = store.path_of("key 3");
  const struct timespec long_ago[2] = {{1000000, 0}, {1000000, 0}};
  utimensat(AT_FDCWD, old.c_str(), long_ago, 0);
  utimensat(AT_FDCWD, store.path_of("key 4").c_str(), long_ago, 0);
  EXPECT_EQ(store.find("key 4"), object);  // used now
  for (int i = 10; i < 24; ++i) store.add("key " + std::to_string(i), object);
  EXPECT_EQ(store.find("key 3"), std::nullopt);
  EXPECT_EQ(store.find("key 4"), object);
}

TEST_F(StoreTest, LeavesNoUnfinishedFilesToManyWriters) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&] {
      Store store(inside("loops"), 1 << 20);
      for (int i = 0; i < 50; ++i) {
        const std::string key = "key " + std::to_string(i % 10);
        store.add(key, std::string(500, static_cast<char>('a' + i % 10)));
        EXPECT_EQ(store.find(key), std::string(500, static_cast<char>('a' + i % 10)));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(inside("loops"))) files += entry.is_regular_file();
  EXPECT_EQ(files, 10u);
}

}  // namespace
}  // namespace dyad::codegen
