#include "fuzz/mutate.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "fuzz/message.h"

namespace onnxlet::fuzz {
namespace {

constexpr uint64_t kNumbers[] = {0,
                                 1,
                                 2,
                                 3,
                                 7,
                                 16,
                                 255,
                                 256,
                                 65535,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 uint64_t{1} << 40,
                                 (uint64_t{1} << 62) - 1,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 ~uint64_t{0},
                                 ~uint64_t{0} - 1};

// A field, and the message that it is in.
struct Place {
  Field* parent;
  size_t index;
  Field& field() const { return parent->children[index]; }
};

void collect(Field& message, std::vector<Place>* out) {
  for (size_t i = 0; i < message.children.size(); ++i) {
    out->push_back({&message, i});
    collect(message.children[i], out);
  }
}

uint64_t other_number(uint64_t value, Draws& draws) {
  switch (draws.below(4)) {
    case 0:
      return value + 1;
    case 1:
      return value - 1;
    case 2:
      return value ^ uint64_t{1} << draws.below(64);
    default:
      return kNumbers[draws.below(std::size(kNumbers))];
  }
}

// One of the same number in a message of the same kind, with equal chances.
const Field& another(const std::vector<Place>& places, const Place& place, Draws& draws) {
  std::vector<const Field*> same;
  for (const Place& p : places) {
    if (p.parent->kind == place.parent->kind && p.field().number == place.field().number) same.push_back(&p.field());
  }
  return *same[draws.below(same.size())];
}

// Numbers in a row: 8, 4 or 1 bytes each.
void change_number_in(std::string* bytes, Draws& draws) {
  const size_t width = size_t{1} << draws.below(4);
  if (bytes->size() < width) return;
  const size_t at = draws.below(bytes->size() / width) * width;
  uint64_t value = 0;
  std::memcpy(&value, bytes->data() + at, width);
  value = other_number(value, draws);
  std::memcpy(bytes->data() + at, &value, width);
}

void change_value(const std::vector<Place>& places, const Place& place, Draws& draws) {
  Field& field = place.field();
  if (field.type != wire::kBytes) {
    field.scalar = other_number(field.scalar, draws);
    return;
  }
  switch (draws.below(4)) {
    case 0: {
      Field copy = another(places, place, draws);
      field = std::move(copy);
      break;
    }
    case 1:
      if (field.kind == Kind::kNone) field.bytes = mutate_bytes(std::move(field.bytes), draws);
      break;
    default:
      if (field.kind == Kind::kNone) change_number_in(&field.bytes, draws);
  }
}

void change_once(Field& model, Draws& draws) {
  std::vector<Place> places;
  collect(model, &places);
  if (places.empty()) return;
  const Place place = places[draws.below(places.size())];
  std::vector<Field>& siblings = place.parent->children;
  switch (draws.below(8)) {
    case 0:
      siblings.erase(siblings.begin() + static_cast<std::ptrdiff_t>(place.index));
      break;
    case 1: {
      Field copy = another(places, place, draws);
      siblings.insert(siblings.begin() + static_cast<std::ptrdiff_t>(place.index), std::move(copy));
      break;
    }
    case 2:
      std::swap(siblings[place.index], siblings[draws.below(siblings.size())]);
      break;
    default:
      change_value(places, place, draws);
  }
}

}  // namespace

std::string mutate_bytes(std::string file, Draws& draws) {
  for (size_t n = 1 + draws.below(4); n > 0 && !file.empty(); --n) {
    const size_t at = draws.below(file.size()), length = 1 + draws.below(16);
    switch (draws.below(6)) {
      case 0:
        file[at] = static_cast<char>(draws.bits());
        break;
      case 1:
        file[at] = static_cast<char>(file[at] ^ 1 << draws.below(8));
        break;
      case 2:
        file[at] = draws.one_in(2) ? '\0' : '\xff';
        break;
      case 3:
        if (draws.one_in(4)) file.resize(at);
        break;
      case 4:
        file.insert(at, file.substr(draws.below(file.size()), length));
        break;
      default:
        file.erase(at, length);
    }
  }
  return file;
}

std::string mutate_model(std::string_view file, Draws& draws) {
  std::optional<Field> model = read_model(file);
  if (!model || draws.one_in(8)) return mutate_bytes(std::string(file), draws);
  for (size_t n = 1 + draws.below(4); n > 0; --n) change_once(*model, draws);
  return write(*model);
}

}  // namespace onnxlet::fuzz
