#include "eager/place.h"

#include "tensor/storage.h"

namespace dyad::eager {

namespace {
Places* all = nullptr;
}  // namespace

void set_places(Places* places) { all = places; }

Ref<RefCounted> place() {
  if (Storage::captures.load(std::memory_order_relaxed) == 0 || !all) [[likely]]
    return {};
  return all->here();
}

AtPlace::AtPlace(const Ref<RefCounted>& place) {
  if (!place) return;
  before_ = eager::place();
  if (before_) all->go(*place);
}

AtPlace::~AtPlace() {
  if (before_) all->go(*before_);
}

}  // namespace dyad::eager
