// An invocation for every element of o, or for every word of elements that share one: element(i) gives them, p.size counts.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
//:if O in bool u8 i8 u16 i16 half u4 i4
  let first = i << {{SHIFT O}};
  if (first >= p.size) { return; }
  let bits = 32u >> {{SHIFT O}};
  var word = 0u;
  for (var k = 0u; k < (1u << {{SHIFT O}}) && first + k < p.size; k++) {
    word |= {{O}}_bits(element(first + k)) << (k * bits);
  }
  o[i] = word;
//:else
  if (i < p.size) { o[i] = element(i); }
//:end
}
