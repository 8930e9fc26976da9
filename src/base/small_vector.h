#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>

namespace dyad {

/// A vector of trivially copyable elements that keeps up to N of them inside itself.
/// Shapes and strides rarely have more than six entries, so they never touch the heap.
template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) { assign(items.begin(), items.end()); }
  SmallVector(size_t count, T value) { resize(count, value); }
  template <class It>
    requires(!std::is_integral_v<It>)
  SmallVector(It first, It last) {
    assign(first, last);
  }
  SmallVector(const SmallVector& other) { assign(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      free_heap();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { free_heap(); }

  template <class It>
  void assign(It first, It last) {
    clear();
    for (; first != last; ++first) push_back(static_cast<T>(*first));
  }
  void push_back(T value) {
    if (size_ == capacity_) grow(capacity_ * 2);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(size_t count, T value = T{}) {
    if (count > capacity_) grow(count);
    for (size_t i = size_; i < count; ++i) data_[i] = value;
    size_ = static_cast<uint32_t>(count);
  }
  void insert(size_t at, T value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  bool operator==(const SmallVector& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }

 private:
  [[gnu::noinline]] void grow(size_t capacity) {
    T* bigger = new T[capacity];
    for (uint32_t i = 0; i < size_; ++i) bigger[i] = data_[i];
    free_heap();
    data_ = bigger;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void free_heap() {
    if (data_ != inline_storage_) delete[] data_;
    data_ = inline_storage_;
    capacity_ = N;
  }
  void take(SmallVector& other) {
    size_ = other.size_;
    if (other.data_ == other.inline_storage_) {
      std::copy(other.begin(), other.end(), inline_storage_);
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
      other.data_ = other.inline_storage_;
      other.capacity_ = N;
    }
    other.size_ = 0;
  }

  T* data_ = inline_storage_;
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  T inline_storage_[N];
};

}  // namespace dyad
